import { cancel, listCancellable } from '../../model/jobs/job-actions.ts'
import { type Action, ChosenCommand } from './chosen-command.ts'

export class JobsCancelCommand extends ChosenCommand {
  static override summary = 'cancel a job that has not started, or all selected jobs'
  static override details = `
    The job will not run; its caller gets a 500 that says so and can repeat the request with the
    same Idempotency-Key. A job that has started cannot be cancelled: it runs to its end.

    Without an ID, cancels every blocked or queued job that the options select, after asking for
    confirmation.
  `
  static override examples = {
    'Cancel a request': '$0 6f1d7a52-0f0e-4c7e-8f0f-3a1f6f0b1c11',
    'Cancel the waiting jobs of an account': '$0 --account alice',
  }

  protected override readonly action: Action = {
    verbs: ['Cancel', 'cancelled'],
    choose: listCancellable,
    act: async (db, given) => {
      const { id, task, account, state } = await cancel(db, given)
      return { id, task, account, state }
    },
  }
}
