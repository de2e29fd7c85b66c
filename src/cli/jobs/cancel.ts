import { cancel, listCancellable } from '../../model/jobs/job-actions.ts'
import { type Action, ChosenCommand } from './chosen-command.ts'

export class JobsCancelCommand extends ChosenCommand {
  static override summary = 'cancel a job that has not begun, or all that are selected'
  static override details = `
    Nothing is done for it. The caller of a request is answered by 500, which says so, and may
    repeat it with the same Idempotency-Key. What has begun runs to its end: it is refused here.

    Without an ID it is every blocked or queued job that the options select, once the count was
    confirmed.
  `
  static override examples = {
    'Cancel a request': '$0 6f1d7a52-0f0e-4c7e-8f0f-3a1f6f0b1c11',
    'Cancel what waits for an account': '$0 --account alice',
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
