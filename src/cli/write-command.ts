import { Option } from 'clipanion'
import { z } from 'zod'
import { PanelError } from '../errors.ts'
import { whyFailed } from '../model/request-jobs.ts'
import type { Write } from '../model/writes.ts'
import type { Outcome } from '../requests/carry-out.ts'
import { AskingCommand } from './asking-command.ts'
import { carryOut } from './carry-out.ts'
import { fields, type Layout } from './columns.ts'
import type { ExitCode } from './panel-command.ts'
import { wholeNumber } from './words.ts'

const Words = z.object({
  wait: wholeNumber,
  idempotency_key: z
    .string()
    .regex(/^[ -~]{1,255}$/, 'must be 1 to 255 printable ASCII characters')
    .optional(),
})

/** A command that has something changed, as the API would: once for each Idempotency-Key. */
export abstract class WriteCommand extends AskingCommand {
  wait = Option.String('--wait', '60', {
    description: 'how many seconds to wait for the work, at most; 0 only begins it',
  })
  idempotency_key = Option.String('--idempotency-key', {
    description: 'a repeat with this key gets the first answer, and does nothing again',
  })

  /**
   * Carries it out, and shows the answer in the words for it.
   *
   * @throws {PanelError} where it was refused, has failed, or is not done in time
   */
  protected async write<Wanted extends object, Answer extends object>(
    write: Write<Wanted>,
    wanted: Wanted,
    toWords: (answer: Answer) => Layout,
    /** A password that was made for it: shown once, and no part of what a repeat has to say. */
    made?: { password: string },
  ): Promise<ExitCode> {
    const { wait, idempotency_key: key } = this.parse(Words)
    const waitMs = wait * 1_000
    const panel = await this.open()
    const asked = made === undefined ? wanted : { ...wanted, password: undefined }
    const outcome = await carryOut(panel, write, wanted, { key, waitMs, asked })
    if (outcome.is === 'under way' && waitMs === 0) {
      this.show({ id: outcome.id }, `begun: panel jobs show ${outcome.id}\n`)
      return 0
    }
    const answer = answerOf(outcome) as Answer
    const isNew = outcome.is === 'answered' && !outcome.isReplay
    const secret = isNew ? (made ?? {}) : {}
    const layout: Layout = look =>
      toWords(answer)(look) + (secret === made ? fields(secret)(look) : '')
    this.show({ ...answer, ...secret }, layout)
    if (made !== undefined) {
      this.tell(isNew ? 'the password is shown this once' : 'the password was shown before')
    }
    return 0
  }
}

function answerOf(outcome: Outcome): object {
  switch (outcome.is) {
    case 'answered': {
      const body = JSON.parse(outcome.answer.body.toString()) as { error?: string }
      if (outcome.answer.status < 400) return body
      throw new PanelError('invalid', body.error ?? 'It was refused')
    }
    case 'failed':
      throw new PanelError('invalid', `${whyFailed(outcome)}: panel jobs show ${outcome.id}`)
    case 'under way':
      throw new PanelError('timed_out', `The work goes on: panel jobs show ${outcome.id}`)
    case 'busy':
      throw new PanelError('busy', 'The first command with this key is still running')
    case 'mismatch':
      throw new PanelError('invalid', 'This --idempotency-key belongs to another command')
  }
}
