import { Option } from 'clipanion'
import { z } from 'zod'
import { packageName } from '../../model/grammar.ts'
import { limits, set } from '../../model/packages.ts'
import { fields } from '../columns.ts'
import { wholeNumber, yesOrNo } from '../words.ts'
import { WriteCommand } from '../write-command.ts'

const { max_sites, disk_mb, memory_mb, cpu_percent, max_databases, database_connections } = limits

const Words = z.object({
  name: packageName,
  max_sites: wholeNumber.pipe(max_sites).optional(),
  disk_mb: wholeNumber.pipe(disk_mb).optional(),
  memory_mb: wholeNumber.pipe(memory_mb).optional(),
  cpu_percent: wholeNumber.pipe(cpu_percent).optional(),
  sftp: yesOrNo.optional(),
  max_databases: wholeNumber.pipe(max_databases).optional(),
  database_connections: wholeNumber.pipe(database_connections).optional(),
})

export class PackageSetCommand extends WriteCommand {
  static override summary = 'create or update a package of the house'
  static override details = `
    What is left out takes its default in a new package and keeps its value in a known one. The
    accounts on a package follow it.
  `
  static override examples = {
    'Sell three websites in 2 GB': '$0 starter --max-sites 3 --disk-mb 2048',
  }

  name = Option.String({ name: 'NAME' })
  max_sites = Option.String('--max-sites', { description: 'websites at most' })
  disk_mb = Option.String('--disk-mb', { description: 'disk quota in MB' })
  memory_mb = Option.String('--memory-mb', { description: 'memory limit in MB' })
  cpu_percent = Option.String('--cpu-percent', { description: 'CPU limit, 100 is one core' })
  sftp = Option.String('--sftp', { description: 'whether SFTP is allowed: yes or no' })
  max_databases = Option.String('--max-databases', { description: 'databases at most' })
  database_connections = Option.String('--database-connections', {
    description: 'connections of each database user at a time',
  })

  act() {
    return this.write(set, this.parse(Words), fields)
  }
}
