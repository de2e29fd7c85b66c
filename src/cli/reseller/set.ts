import { Option } from 'clipanion'
import { z } from 'zod'
import { Plan, setPlan } from '../../model/sellers/resellers.ts'
import { argument } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'
import { wholeNumber } from '../words.ts'

const { max_accounts, disk_mb, max_sites, memory_mb, cpu_percent } = Plan.shape

const Words = z.object({
  max_accounts: wholeNumber.pipe(max_accounts),
  disk_mb: wholeNumber.pipe(disk_mb),
  max_sites: wholeNumber.pipe(max_sites),
  memory_mb: wholeNumber.pipe(memory_mb),
  cpu_percent: wholeNumber.pipe(cpu_percent),
})

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
  max_accounts = Option.String('--max-accounts', {
    required: true,
    description: 'accounts in total',
  })
  disk_mb = Option.String('--disk-mb', { required: true, description: 'MB of disk in total' })
  max_sites = Option.String('--max-sites', { required: true, description: 'websites in total' })
  memory_mb = Option.String('--memory-mb', {
    required: true,
    description: 'MB of memory per account',
  })
  cpu_percent = Option.String('--cpu-percent', {
    required: true,
    description: 'percent of a core per account',
  })

  async act(): Promise<void> {
    const plan = this.parse(Words)
    const { db } = await this.open()
    const change = { action: 'reseller/set-plan', about: this.name } as const
    const excess = await this.recorded(db, change, own => setPlan(own, this.name, plan))
    this.show({ name: this.name, ...plan })
    if (excess !== null) this.report(`its accounts already exceed that: ${excess}`)
  }
}
