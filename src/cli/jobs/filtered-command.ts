import { Option } from 'clipanion'
import { z } from 'zod'
import { tasks, withoutWork } from '../../model/jobs/job-tasks.ts'
import { JobFilter, kinds, states } from '../../model/jobs/jobs.ts'
import { completing, option } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const age = /^([0-9]{1,6})([smhd])$/

const since = z.string().transform((text, context) => {
  const [, amount, unit] = age.exec(text) ?? []
  const isTime = z.union([z.iso.date(), z.iso.datetime({ offset: true })]).safeParse(text).success
  if (isTime) return new Date(text)
  if (amount !== undefined) {
    return new Date(Date.now() - Number(amount) * unitMs[unit as keyof typeof unitMs])
  }
  context.addIssue('must be an age such as 30m, 2h or 7d, or a day or time (RFC 3339)')
  return z.NEVER
})

const lists = z.array(z.string()).transform(all => all.flatMap(list => list.split(',')))

const { task, account, kind, search } = JobFilter.shape
const Words = z.object({
  state: lists.pipe(JobFilter.shape.states.unwrap()),
  task,
  account,
  kind,
  since: since.optional(),
  ended_since: since.optional(),
  search,
})

export type Filter = Omit<z.output<typeof JobFilter>, 'limit' | 'after'>

/** A command about the jobs that its options select. */
export abstract class FilteredCommand extends DatabaseCommand {
  state = completing(
    states,
    Option.Array('--state', [], {
      description: `only jobs that are ${or.format(states)}; can be repeated`,
    }),
  )
  task = option('--task', [...tasks, ...withoutWork], 'only jobs of this task')
  kind = option('--kind', kinds, `only jobs of this kind: ${or.format(kinds)}`)
  account = option('--account', 'accounts', 'only jobs for this account')
  since = Option.String('--since', {
    description: 'only jobs created within this time (30m, 2h, 7d), or since a day or time',
  })
  ended_since = Option.String('--ended-since', {
    description: 'only jobs that ended within this time, or since a day or time',
  })
  search = Option.String('--search', {
    description: 'only jobs with this text in their ID, task, account, error or requester',
  })

  /** @throws {UsageError} naming what is wrong */
  protected filter(): Filter {
    const { state: states, ended_since: endedSince, ...by } = this.parse(Words)
    return { states: states.length === 0 ? undefined : states, endedSince, ...by }
  }
}

const or = new Intl.ListFormat('en-GB', { type: 'disjunction' })
