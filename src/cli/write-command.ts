import { Option } from 'clipanion'
import { z } from 'zod'
import { PanelError } from '../errors.ts'
import { type ErrorAnswer, failureOf } from '../model/jobs/request-jobs.ts'
import type { Write } from '../model/operations/writes.ts'
import type { Outcome } from '../requests/execute.ts'
import { AskingCommand } from './asking-command.ts'
import { execute } from './execute.ts'
import { fields, type Layout } from './columns.ts'
import type { ExitCode } from './panel-command.ts'
import { wholeNumber } from './words.ts'

const Words = z.object({
  // A day, which timers can count.
  wait: wholeNumber.refine(seconds => seconds <= 86_400, 'must be at most 86400'),
  idempotency_key: z
    .string()
    .regex(/^[ -~]{1,255}$/, 'must be 1 to 255 printable ASCII characters')
    .optional(),
})

/** A command that makes a change as the API does: once per Idempotency-Key. */
export abstract class WriteCommand extends AskingCommand {
  wait = Option.String('--wait', '60', {
    description: 'the maximum number of seconds to wait for the result; 0 does not wait',
  })
  idempotency_key = Option.String('--idempotency-key', {
    description: 'a repeat with this key returns the first answer without doing anything',
  })

  /**
   * Executes the write and shows its answer.
   *
   * @throws {PanelError} where it was refused or has failed
   */
  protected async write<Desired extends object, Answer extends object>(
    write: Write<Desired>,
    desired: Desired,
    toWords: (answer: Answer) => Layout,
    /** A password that was made for it: shown once, and no part of what a repeat has to say. */
    made?: { password: string },
  ): Promise<ExitCode> {
    const { wait, idempotency_key: key } = this.parse(Words)
    const waitMs = wait * 1_000
    const panel = await this.open()
    const asked = made === undefined ? desired : { ...desired, password: undefined }
    const outcome = await execute(panel, write, desired, { key, waitMs, asked })
    const isReplay = outcome.is === 'answered' && outcome.isReplay
    const isInProgress = outcome.is === 'in progress'
    const answer = isInProgress ? { id: outcome.id } : answerOf(outcome)
    const words = isInProgress ? fields({ id: outcome.id }) : toWords(answer as Answer)
    const secret = isReplay ? {} : { ...made }
    this.show({ ...answer, ...secret }, display => words(display) + fields(secret)(display))
    if (made !== undefined) {
      this.report(
        isReplay
          ? 'the password was shown by the first command'
          : 'the password will not be shown again',
      )
    }
    if (isInProgress)
      this.report(`the operation is still in progress: panel jobs show ${outcome.id}`)
    return isInProgress && waitMs > 0 ? 1 : 0
  }
}

function answerOf(outcome: Exclude<Outcome, { is: 'in progress' }>): object {
  switch (outcome.is) {
    case 'answered': {
      const body = JSON.parse(outcome.answer.body.toString()) as Partial<
        z.infer<typeof ErrorAnswer>
      >
      if (outcome.answer.status < 400) return body
      const { reason, field } = outcome.answer
      throw new PanelError(reason ?? 'invalid', body.error ?? 'The request was refused', {
        field: field ?? undefined,
        errors: body.errors,
      })
    }
    case 'failed': {
      const { code, message } = failureOf(outcome)
      throw new PanelError(code, `${message}: panel jobs show ${outcome.id}`)
    }
    case 'busy':
      throw new PanelError('busy', 'The first command with this key is still running')
    case 'mismatch':
      throw new PanelError(
        'idempotency_key_reused',
        'This --idempotency-key belongs to another command',
      )
  }
}
