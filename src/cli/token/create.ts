import { Option } from 'clipanion'
import { z } from 'zod'
import { maySignOwn, readLicense, readServer, requirePaid } from '../../model/server/license.ts'
import { createToken, NewToken } from '../../model/signing-in/tokens.ts'
import { completing } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'

const Words = z.object({
  name: NewToken.shape.name,
  permission: NewToken.shape.permission,
  allow: NewToken.shape.allowed,
  expires: NewToken.shape.expiresAt.optional(),
})

export class TokenCreateCommand extends DatabaseCommand {
  static override summary = 'make an API token, shown once'
  static override details = `
    The token acts for its owner: an administrator's sees every account, a reseller's its own.
    It is void as soon as its owner's password or second factor changes.

    A day as the expiry is its beginning in UTC. IPv4 addresses within IPv6 are IPv4.
  `
  static override examples = {
    'Make one for a billing system': '$0 --owner admin --name Billing',
    'Make one that only reads events': '$0 --owner admin --permission "Read events"',
    'Make one that works from two places and until a day':
      '$0 --owner admin --allow 192.0.2.7 --allow 2001:db8::/32 --expires 2099-12-31',
  }

  owner = completing(
    'operators',
    Option.String('--owner', { required: true, description: 'who it acts for' }),
  )
  name = Option.String('--name', 'Command line', { description: 'what it is for' })
  permission = Option.String('--permission', 'Provisioning only', {
    description: 'what it may do: “Provisioning only”, “Provisioning and hosting” or “Read events”',
  })
  allow = Option.Array('--allow', [], {
    description: 'an address or range that calls may come from; more than one is possible',
  })
  expires = Option.String('--expires', {
    description: 'the day or time (RFC 3339) from which it is refused',
  })

  async act(): Promise<void> {
    const { name, permission, allow, expires: expiresAt } = this.parse(Words)
    const { db, license } = await this.open()
    const server = await readServer(db)
    requirePaid(await readLicense(license), server.id, new Date(), maySignOwn(license.key))
    const allowed = [...new Set(allow)]
    const token = { owner: this.owner, name, permission, allowed, expiresAt }
    const change = { action: 'token/create', about: `${this.owner}, token ${name}` } as const
    this.show(await this.recorded(db, change, own => createToken(own, token)))
    this.report('the token is shown this once')
  }
}
