import { listRetryable, retry } from '../../model/jobs/job-actions.ts'
import { type Action, ChosenCommand } from './chosen-command.ts'

export class JobsRetryCommand extends ChosenCommand {
  static override summary = 'retry a failed job, or all selected jobs'
  static override details = `
    A failed delivery is sent again as a new one. For a hook run, the scripts that have not
    succeeded run again. Maintenance, and jobs that wait for their next attempt, start at once.
    A request that was answered is refused: its caller must repeat it with its Idempotency-Key.

    Without an ID, retries every failed job that the options select, after asking for
    confirmation; deliveries that were already sent again are left out.
  `
  static override examples = {
    'Send a delivery again': '$0 7c9e6679-7425-40de-944b-e07fc1f90ae7',
    'Run the failed hook scripts of an event again': '$0 hook:17',
    'Resend what a receiver missed in the last hours': '$0 --task webhook/deliver --since 3h --yes',
  }

  protected override readonly action: Action = {
    verbs: ['Retry', 'retried'],
    choose: listRetryable,
    act: retry,
  }
}
