import { DatabaseCommand } from '../database-command.ts'
import { describeInstalled } from './described.ts'

export class LicenseShowCommand extends DatabaseCommand {
  static override summary = 'show plan, accounts, server ID and expiry of the license'
  static override details =
    'The server ID is what a license has to name; it is shown without one, too.'
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
