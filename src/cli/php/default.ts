import { Option } from 'clipanion'
import { z } from 'zod'
import { choosePhp, listPhpFollowers, newest } from '../../model/server/php-versions.ts'
import { phpVersion } from '../../model/sites/php-settings.ts'
import { fields } from '../columns.ts'
import type { ExitCode } from '../panel-command.ts'
import { WriteCommand } from '../write-command.ts'
import { applyPhp } from './apply-php.ts'

const Words = z.object({ version: z.union([z.literal(newest), phpVersion]) })

export class PhpDefaultCommand extends WriteCommand {
  static override summary = 'choose the version of PHP that accounts run by default'
  static override details = `
    Applies to every account at once: requests in progress finish with the former version.
    Websites with a version of their own keep it. With the word newest, accounts run the newest
    installed version, which changes when a newer one is installed.
  `
  static override examples = {
    'Run PHP 8.2': '$0 8.2',
    'Run the newest that is installed': '$0 newest',
  }

  version = Option.String({ name: 'VERSION' })

  async act(): Promise<ExitCode> {
    const { version } = this.parse(Words)
    const desired = { version: version === newest ? null : version }
    const code = await this.write(
      choosePhp,
      desired,
      ({ php_version }: { php_version: string | null }) =>
        fields({ default: php_version ?? newest }),
    )
    const { db } = await this.open()
    await applyPhp(db, await listPhpFollowers(db))
    return code
  }
}
