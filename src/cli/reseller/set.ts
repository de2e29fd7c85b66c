import { Option } from 'clipanion'
import { z } from 'zod'
import { byPlanLimit, Plan, type PlanLimitName } from '../../model/sellers/plan-limits.ts'
import { setPlan } from '../../model/sellers/resellers.ts'
import { argument } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'
import { optionOf, wholeNumber } from '../words.ts'

const Words = z.object(byPlanLimit(({ name }) => wholeNumber.pipe(Plan.shape[name])))

const options = () =>
  byPlanLimit(({ name, meaning }) =>
    Option.String(optionOf(name), { required: true, description: meaning }),
  )

export interface ResellerSetCommand extends Record<PlanLimitName, string> {}

export class ResellerSetCommand extends DatabaseCommand {
  static override summary = "set a reseller's plan"
  static override details = `
    A plan limits what all of a reseller's accounts have together (accounts, disk, websites) and
    what each may have (memory, CPU). If the plan is smaller than what they already use, nothing
    is taken away, but creating accounts and changing packages is refused.
  `
  static override examples = {
    'Allow 50 accounts with 100 GB in total, each with 1 GB of memory and one core':
      '$0 bob --max-accounts 50 --disk-mb 102400 --max-sites 100 ' +
      '--memory-mb 1024 --cpu-percent 100',
  }

  name = argument('NAME', 'resellers')
  constructor() {
    super()
    Object.assign(this, options())
  }

  async act(): Promise<void> {
    const plan = this.parse(Words)
    const { db } = await this.open()
    const change = { action: 'reseller/set-plan', about: this.name } as const
    const excess = await this.recorded(db, change, own => setPlan(own, this.name, plan))
    this.show({ name: this.name, ...plan })
    if (excess !== null) this.report(`its accounts already exceed that: ${excess}`)
  }
}
