import { machineOf } from '../../host/machine.ts'
import { versionOf } from '../../host/php/linux-php.ts'
import { countPhpUse, endOfSupport } from '../../model/server/php-versions.ts'
import { table } from '../columns.ts'
import { DatabaseCommand } from '../database-command.ts'

export class PhpLsCommand extends DatabaseCommand {
  static override summary = 'list the versions of PHP'
  static override details = `
    SUPPORTED UNTIL is the end of PHP's own security support. A distribution may support a
    version of its own for longer.
  `
  static override examples = { 'List them': '$0' }

  async act(): Promise<void> {
    const { db, config } = await this.open()
    const { php } = machineOf(config)
    const installed = php.versions()
    const byDefault = installed.length === 0 ? undefined : versionOf(php.name())
    const use = new Map(
      (await countPhpUse(db, installed)).map(
        one => [one.version ?? byDefault ?? 'none', one] as const,
      ),
    )
    const versions = [...new Set([...installed, ...use.keys()])].sort(newestFirst).map(version => ({
      version,
      is_installed: installed.includes(version),
      is_default: version === byDefault,
      accounts: use.get(version)?.accounts ?? 0,
      websites: use.get(version)?.websites ?? 0,
      supported_until: endOfSupport(version),
    }))
    const yes = (is: boolean) => (is ? 'yes' : 'no')
    const rows = versions.map(one => [
      ...[one.version, yes(one.is_installed), yes(one.is_default)],
      ...[String(one.accounts), String(one.websites), one.supported_until],
    ])
    const names = ['VERSION', 'INSTALLED', 'DEFAULT', 'ACCOUNTS', 'WEBSITES', 'SUPPORTED UNTIL']
    this.show({ versions }, table(names, rows))
  }
}

const newestFirst = (one: string, other: string): number =>
  other.localeCompare(one, 'en', { numeric: true })
