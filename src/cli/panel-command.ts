import type { WriteStream } from 'node:tty'
import { type BaseContext, Command, UsageError } from 'clipanion'
import type { z } from 'zod'
import { ConfigError } from '../config.ts'
import { PanelError } from '../errors.ts'
import { type Layout, type Display, plain } from './columns.ts'
import { json, lines, oneLine } from './foreign-text.ts'
import { optionOf } from './words.ts'

/** 0 done, 1 refused or failed, 2 wrong usage. */
export type ExitCode = 0 | 1 | 2

/** A command of `panel`: results on standard output, everything else on standard error. */
export abstract class PanelCommand extends Command<BaseContext> {
  /** The summary in the help; a command without one is left out. */
  static summary = ''
  static details = ''
  /** Command lines by what they are for; `$0` stands for `panel` and the words of the command. */
  static examples: Record<string, string> = {}
  /** Whether it is called for a script; the commands that can be have the option. */
  json = false

  /** Runs the command; throws to refuse. */
  abstract perform(): Promise<ExitCode | void>

  async execute(): Promise<ExitCode> {
    try {
      return (await this.perform()) ?? 0
    } catch (error) {
      return this.refuse(error)
    }
  }

  /** Reports why the command was refused or has failed, and returns its exit code. */
  protected refuse(error: unknown): ExitCode {
    const { words, code } = refusal(error)
    // A script gets the reason that the API would return; wrong usage and bugs are for people.
    if (this.json && error instanceof PanelError) {
      this.context.stderr.write(
        json({
          ...{ error: error.message, reason: error.code, field: error.field },
          ...(error.errors.length > 0 && { errors: error.errors }),
        }),
      )
    } else this.report(words)
    return code
  }

  /**
   * Parses arguments and options, which are in the properties that the fields are named like.
   *
   * @throws {UsageError} naming each that is wrong, but not its value, which may be a secret
   */
  protected parse<Schema extends z.ZodObject>(
    this: this & { [Field in keyof z.input<Schema>]-?: unknown },
    schema: Schema,
  ): z.output<Schema> {
    const given = Object.keys(schema.shape).map(field => [field, this[field as keyof this]])
    const parsed = schema.safeParse(Object.fromEntries(given))
    if (parsed.success) return parsed.data
    const sentences = parsed.error.issues.map(
      ({ path, message }) => `${this.#wordOf(String(path[0]))} ${message}`,
    )
    throw new UsageError([...new Set(sentences)].join('; '))
  }

  /** The word for a field on the command line: --https-only for `https_only`, or USERNAME. */
  #wordOf(field: string): string {
    const all = this.cli.definitions()
    const own = all.find(({ path }) => path === `panel ${this.path.join(' ')}`)
    const option = optionOf(field)
    const isOption = own?.options.some(({ definition }) => definition.split(' ')[0] === option)
    return isOption ? option : field.toUpperCase()
  }

  /** Writes to standard output. */
  protected print(text: string | Layout): void {
    this.context.stdout.write(typeof text === 'string' ? text : text(this.#display()))
  }

  #display(): Display {
    const { stdout } = this.context
    if (!('isTTY' in stdout) || stdout.isTTY !== true) return plain
    // Lines of a narrower terminal wrap rather than lose what matters.
    const columns = Math.max(80, (stdout as WriteStream).columns || 80)
    return { columns, hasColors: this.cli.enableColors === true, now: new Date() }
  }

  /** Writes a sentence to standard error. */
  protected report(sentence: string): void {
    this.context.stderr.write(`panel: ${lines(sentence)}\n`)
  }
}

/** Returns the message and the exit code for an error. */
export function refusal(error: unknown): { words: string; code: ExitCode } {
  if (error instanceof ConfigError) return { words: oneLine(error.message), code: 2 }
  if (error instanceof UsageError) return { words: oneLine(error.message), code: 2 }
  if (error instanceof PanelError) return { words: oneLine(error.message), code: 1 }
  // A bug or an outage: the whole stack is shown.
  return { words: error instanceof Error ? (error.stack ?? error.message) : `${error}`, code: 1 }
}
