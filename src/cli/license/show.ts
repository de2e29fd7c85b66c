import { DatabaseCommand } from '../database-command.ts'
import { describeInstalled } from './described.ts'

export class LicenseShowCommand extends DatabaseCommand {
  static override summary = "show the license's plan, accounts, server ID and expiry"
  static override details = `
    A license must name the server ID, which is shown even without a license.
  `
  static override examples = {
    'Show the license': '$0',
    'For a script': '$0 --json',
  }

  async act(): Promise<void> {
    const { db, license: settings } = await this.open()
    const { result, words } = await describeInstalled(db, settings)
    this.show(result, words)
  }
}
