import { Option } from 'clipanion'
import { z } from 'zod'
import { changeRanges, listRanges, NewRanges } from '../../model/signing-in/sign-in-ranges.ts'
import { DatabaseCommand } from '../database-command.ts'

const Words = z.object({ add: NewRanges })

export class CtlAllowIpCommand extends DatabaseCommand {
  static override summary = 'show or change the addresses that administrators may sign in from'
  static override details = `
    An empty list allows every address. --clear with --add replaces the list. The list applies
    to the panel's pages only: each API token has a list of its own, and the command line always
    works.
  `
  static override examples = {
    'List the addresses': '$0 --list',
    'Allow every address again': '$0 --clear',
    'Allow an office and one address': '$0 --add 192.0.2.0/24 --add 2001:db8::7',
  }

  clear = Option.Boolean('--clear', false, { description: 'clear the list' })
  add = Option.Array('--add', [], {
    description: 'add an address or range; can be repeated',
  })
  list = Option.Boolean('--list', false, {
    description: 'show the list (default)',
  })

  async act(): Promise<void> {
    const { add: added } = this.parse(Words)
    const { db } = await this.open()
    const isChange = this.clear || added.length > 0
    const allowed = await (isChange
      ? this.recorded(
          db,
          (made: string[]) => ({ action: 'settings/allow-addresses', about: made.join(', ') }),
          own => changeRanges(own, { isCleared: this.clear, added }),
        )
      : listRanges(db))
    this.show({ allowed }, allowed.map(range => `${range}\n`).join(''))
    if (allowed.length === 0) this.report('administrators can sign in from any address')
    else if (isChange) this.report('administrators can sign in from these addresses only')
  }
}
