import { type BaseContext, Command, UsageError } from 'clipanion'
import { ConfigError } from '../config.ts'
import { PanelError } from '../errors.ts'
import { lines, oneLine } from './foreign-text.ts'

/** What every command ends with: 0 done, 1 refused or failed, 2 wrong usage. */
export type ExitCode = 0 | 1 | 2

/** A command of `panel`: results on standard output, everything else on standard error. */
export abstract class PanelCommand extends Command<BaseContext> {
  /** Does it; a refusal is thrown. */
  abstract perform(): Promise<ExitCode | void>

  async execute(): Promise<ExitCode> {
    try {
      return (await this.perform()) ?? 0
    } catch (error) {
      const { words, code } = refusal(error)
      this.tell(words)
      return code
    }
  }

  /** Writes a result. */
  protected print(text: string): void {
    this.context.stdout.write(text)
  }

  /** Says something that is no result. */
  protected tell(sentence: string): void {
    this.context.stderr.write(`panel: ${lines(sentence)}\n`)
  }
}

/** The words and the exit code of whatever a command threw. */
export function refusal(error: unknown): { words: string; code: ExitCode } {
  if (error instanceof ConfigError) return { words: oneLine(error.message), code: 2 }
  if (error instanceof UsageError) return { words: oneLine(error.message), code: 2 }
  if (error instanceof PanelError) return { words: oneLine(error.message), code: 1 }
  // A bug or an outage, so whole.
  return { words: error instanceof Error ? (error.stack ?? error.message) : `${error}`, code: 1 }
}
