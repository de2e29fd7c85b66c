import { Command } from 'clipanion'
import { DatabaseCommand } from '../database-command.ts'
import { describeInstalled } from './described.ts'

export class LicenseShowCommand extends DatabaseCommand {
  static override paths = [['license', 'show']]
  static override usage = Command.Usage({
    category: 'License',
    description: 'show plan, accounts, server ID and expiry of the license',
    details: 'The server ID is what a license has to name; it is shown without one, too.',
    examples: [
      ['Show the license', '$0 license show'],
      ['For a script', '$0 license show --json'],
    ],
  })

  async act(): Promise<void> {
    const { db, license: settings } = await this.open()
    const { result, words } = await describeInstalled(db, settings)
    this.show(result, words)
  }
}
