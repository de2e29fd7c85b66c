import { Option } from 'clipanion'
import { z } from 'zod'
import { Plan, setPlan } from '../../model/resellers.ts'
import { DatabaseCommand } from '../database-command.ts'
import { parseWords, wholeNumber } from '../words.ts'

const Words = z.object({
  '--max-accounts': wholeNumber.pipe(Plan.shape.max_accounts),
  '--disk-mb': wholeNumber.pipe(Plan.shape.disk_mb),
  '--max-sites': wholeNumber.pipe(Plan.shape.max_sites),
  '--memory-mb': wholeNumber.pipe(Plan.shape.memory_mb),
  '--cpu-percent': wholeNumber.pipe(Plan.shape.cpu_percent),
})

export class ResellerSetCommand extends DatabaseCommand {
  static override summary = 'give a reseller a plan'
  static override details = `
    What a reseller's accounts may have together (accounts, disk, websites) and each of them
    at most (memory, processor). A plan below what they have already takes nothing away from
    them; it stops the next create or package change.
  `
  static override examples = {
    'Fifty accounts with 100 GB in all, each with at most 1 GB of memory and one core':
      '$0 bob --max-accounts 50 --disk-mb 102400 --max-sites 100 ' +
      '--memory-mb 1024 --cpu-percent 100',
  }

  name = Option.String({ name: 'NAME' })
  maxAccounts = Option.String('--max-accounts', { required: true, description: 'accounts in all' })
  diskMb = Option.String('--disk-mb', { required: true, description: 'MB of disk in all' })
  maxSites = Option.String('--max-sites', { required: true, description: 'websites in all' })
  memoryMb = Option.String('--memory-mb', { required: true, description: 'MB of memory, each' })
  cpuPercent = Option.String('--cpu-percent', {
    required: true,
    description: 'percent of a core, each',
  })

  async act(): Promise<void> {
    const words = parseWords(Words, {
      '--max-accounts': this.maxAccounts,
      '--disk-mb': this.diskMb,
      '--max-sites': this.maxSites,
      '--memory-mb': this.memoryMb,
      '--cpu-percent': this.cpuPercent,
    })
    const { db } = await this.open()
    const plan = {
      max_accounts: words['--max-accounts'],
      disk_mb: words['--disk-mb'],
      max_sites: words['--max-sites'],
      memory_mb: words['--memory-mb'],
      cpu_percent: words['--cpu-percent'],
    }
    const excess = await setPlan(db, this.name, plan)
    const result = { name: this.name, ...plan }
    this.show(result)
    if (excess !== null) this.tell(`its accounts are beyond that already: ${excess}`)
  }
}
