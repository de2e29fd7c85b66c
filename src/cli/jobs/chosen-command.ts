import { Option, UsageError } from 'clipanion'
import type { Db, Pool } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import type { Selected } from '../../model/jobs/job-actions.ts'
import { type Fields, table } from '../columns.ts'
import { optionalArgument } from '../completion/completers.ts'
import { count } from '../doctor/check.ts'
import type { ExitCode } from '../panel-command.ts'
import { openProgress } from '../progress.ts'
import { confirm } from '../terminal-questions.ts'
import { type Filter, FilteredCommand } from './filtered-command.ts'
import { IdWord } from './job-words.ts'

export type Action = {
  /** The verb, as a sentence begins and in the past. */
  verbs: readonly [now: string, done: string]
  choose: (db: Pool, filter: Filter) => Promise<Selected>
  act: (db: Db, id: string) => Promise<Fields>
}

/** A command that does something to one job, or to all that its options select. */
export abstract class ChosenCommand extends FilteredCommand {
  id = optionalArgument('ID', 'jobs')
  yes = Option.Boolean('--yes', false, { description: 'do not prompt if several are selected' })

  protected abstract readonly action: Action

  async act(): Promise<ExitCode | void> {
    const filter = this.filter()
    const isFiltered = Object.values(filter).some(value => value !== undefined)
    if (this.id === undefined) {
      if (!isFiltered)
        throw new UsageError(
          'Give an ID or one of --state, --task, --kind, --account, --since, --ended-since and ' +
            '--search',
        )
      return this.#actOnAll(filter)
    }
    if (isFiltered) throw new UsageError('An ID cannot be combined with other options')
    const { id } = this.parse(IdWord)
    const { db } = await this.open()
    this.show(await this.#act(db, id))
  }

  #act(db: Pool, id: string): Promise<Fields> {
    const { verbs, act } = this.action
    const action = verbs[0] === 'Retry' ? 'job/retry' : 'job/cancel'
    return this.recorded(db, { action, about: id }, own => act(own, id))
  }

  async #actOnAll(filter: Filter): Promise<ExitCode> {
    const { verbs, choose } = this.action
    const { db } = await this.open()
    const { jobs, possible } = await choose(db, filter)
    if (possible > 0 && !this.yes) {
      const others = jobs.length - possible
      const more = others === 0 ? '' : ` ${count(others, 'other')} will be refused.`
      await confirm(this.context, `${verbs[0]} ${count(possible, 'job')}.${more}`)
    }
    const progress = openProgress(this.context.stderr, verbs[0], jobs.length)
    const [done, refused]: [object[], { id: string; error: string }[]] = [[], []]
    for (const { id } of jobs) {
      try {
        done.push(await this.#act(db, id))
      } catch (error) {
        if (!(error instanceof PanelError)) throw error
        refused.push({ id, error: error.message })
      }
      progress.add()
    }
    progress.end()
    const rows = refused.map(({ id, error }) => [id, error])
    this.show(
      { [verbs[1]]: done, refused },
      refused.length === 0 ? '' : table(['ID', 'WHY NOT'], rows, { hasRemark: true }),
    )
    this.report(`${count(done.length, 'job')} ${verbs[1]}, ${refused.length} refused`)
    return refused.length === 0 ? 0 : 1
  }
}
