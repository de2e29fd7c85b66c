import { Command } from 'clipanion'
import { PanelError } from '../../errors.ts'
import { readLicense, readServer } from '../../model/license.ts'
import { DatabaseCommand } from '../database-command.ts'
import { described } from './described.ts'

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
    const server = await readServer(db)
    let shown
    try {
      shown = described(server, await readLicense(settings))
    } catch (error) {
      if (!(error instanceof PanelError)) throw error
      shown = described(server, undefined, error.message)
    }
    this.show(shown.result, shown.words)
  }
}
