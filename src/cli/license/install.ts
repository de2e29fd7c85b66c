import { PanelError } from '../../errors.ts'
import { ensureFile } from '../../host/tools/files.ts'
import { parseKey, parseLicense, readServer, whyUnusable } from '../../model/server/license.ts'
import { argument } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'
import { readSmallFile, unless } from '../small-file.ts'
import { described } from './described.ts'

export class LicenseInstallCommand extends DatabaseCommand {
  static override summary = 'install a license file, replacing the current license'
  static override details = `
    The license must be signed by the vendor, be for this server, and not be expired; otherwise
    nothing changes. It takes effect within seconds, without a restart.
  `
  static override examples = { 'Install a license': '$0 ./license' }

  file = argument('FILE', 'files')

  async act(): Promise<void> {
    const { db, license: settings } = await this.open()
    const text = await readSmallFile(this.file, 'a license file')
    const license = parseLicense(text, parseKey(settings.key))
    const server = await readServer(db)
    const reason = whyUnusable(license, server.id, new Date())
    if (reason !== undefined) throw new PanelError('invalid', reason)
    await install(settings.file, text)
    const { result, words } = described(server, license)
    this.show(result, words)
    if (server.accounts > license.maxAccounts) {
      this.report('there are more accounts than it permits: they stay, but no more can be created')
    }
  }
}

// Readable by all: the API is not root, and a license is no secret.
async function install(path: string, text: string): Promise<void> {
  try {
    await ensureFile(path, text, 0o644)
  } catch (error) {
    throw unless(error, `${path} cannot be written`)
  }
}
