import { listRetryable, retry } from '../../model/jobs/job-actions.ts'
import { type Action, ChosenCommand } from './chosen-command.ts'

export class JobsRetryCommand extends ChosenCommand {
  static override summary = 'make a failed job due again, or all that are selected'
  static override details = `
    A failed delivery is sent again as a new one, of a hook run those scripts run again that have
    not succeeded, maintenance and what waits for its next try are due at once. A request that was
    answered is refused: its caller repeats it, with its Idempotency-Key.

    Without an ID it is every failed job that the options select, once the count was confirmed;
    deliveries that were sent again already are left out.
  `
  static override examples = {
    'Send a delivery again': '$0 7c9e6679-7425-40de-944b-e07fc1f90ae7',
    'Run the failed hook scripts of an event again': '$0 hook:17',
    'Send again what a receiver missed in the last hours':
      '$0 --task webhook/deliver --since 3h --yes',
  }

  protected override readonly action: Action = {
    verbs: ['Retry', 'retried'],
    choose: listRetryable,
    act: retry,
  }
}
