import { Option } from 'clipanion'
import { type Db, isOutage, openPool, type Pool } from '../db.ts'
import { PanelError } from '../errors.ts'
import { rootCaller } from '../model/signing-in/callers.ts'
import { type Change, recorded } from '../model/history/history.ts'
import { type Fields, fields, type Layout } from './columns.ts'
import { type Found, findPanel } from './find-panel.ts'
import { json } from './foreign-text.ts'
import { type ExitCode, PanelCommand } from './panel-command.ts'

/** A command that needs the database, but no running process of the panel. */
export abstract class DatabaseCommand extends PanelCommand {
  override json = Option.Boolean('--json', false, {
    description: 'print the result as JSON, for scripts',
  })
  #pool: Pool | undefined
  #opened: Promise<Found & { db: Pool }> | undefined

  /** Runs the command: parses its words first, which needs no panel, then calls `open`. */
  abstract act(): Promise<ExitCode | void>

  async perform(): Promise<ExitCode | void> {
    try {
      return await this.act()
    } catch (error) {
      throw explained(error)
    } finally {
      await this.#pool?.end()
    }
  }

  /**
   * Finds the panel and connects to its database, as the owner of the schema, once.
   *
   * @throws {PanelError} `unavailable`, if the database is down
   */
  protected open(): Promise<Found & { db: Pool }> {
    return (this.#opened ??= this.#open())
  }

  async #open(): Promise<Found & { db: Pool }> {
    const panel = findPanel(this.context.env)
    const db = openPool(panel.databaseUrl, 'panel_owner', 1)
    this.#pool = db
    // The failing statement is reported, so the pool must not log the same error.
    db.removeAllListeners('error').on('error', () => undefined)
    try {
      await db.query('select')
    } catch (error) {
      const why = error instanceof Error && error.message !== '' ? error.message : codeOf(error)
      const words = `The database cannot be reached (${why}); is ${panel.starter} running?`
      throw new PanelError('unavailable', words, { cause: error })
    }
    return { ...panel, db }
  }

  /** Makes a change that is no operation; the history says that root made it. */
  protected async recorded<T>(
    db: Pool,
    change: Change | ((made: T) => Change | undefined),
    make: (db: Db) => Promise<T>,
  ): Promise<T> {
    return recorded(db, await rootCaller(db), change, make)
  }

  /** Prints the result: as JSON with --json, else these words, or a line for each field. */
  protected show(result: Fields): void
  protected show(result: object, words: string | Layout): void
  protected show(result: Fields, words?: string | Layout): void {
    this.print(this.json ? json(result) : (words ?? fields(result)))
  }
}

function explained(error: unknown): unknown {
  // A file that cannot be opened; errors of the database's socket have no path.
  if (error instanceof Error && 'path' in error && 'syscall' in error) {
    return new PanelError('unavailable', error.message, { cause: error })
  }
  const code = codeOf(error)
  // 42P01 undefined_table, 3F000 invalid_schema_name, 42883 undefined_function.
  const isEmpty = ['42P01', '3F000', '42883'].includes(code)
  if (!isEmpty && !isOutage(error)) return error
  const words = isEmpty
    ? 'The database does not contain the schema of this release'
    : `The connection to the database was lost (${code}); the change may or may not have been made`
  return new PanelError('unavailable', words, { cause: error })
}

const codeOf = (error: unknown): string => `${(error as { code?: unknown } | null)?.code}`
