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
  static override summary = 'create an API token, which is shown once'
  static override details = `
    The token acts for its owner: an administrator's token has access to every account, a
    reseller's token to the reseller's own. It is revoked when its owner's password or second
    factor changes.

    An expiry given as a day means the start of that day in UTC. IPv4-mapped IPv6 addresses
    count as IPv4.
  `
  static override examples = {
    'Create one for a billing system': '$0 --owner admin --name Billing',
    'Create one that only reads events': '$0 --owner admin --permission "Read events"',
    'Create one limited to two addresses and a period':
      '$0 --owner admin --allow 192.0.2.7 --allow 2001:db8::/32 --expires 2099-12-31',
  }

  owner = completing(
    'operators',
    Option.String('--owner', {
      required: true,
      description: 'the administrator or reseller that it acts for',
    }),
  )
  name = Option.String('--name', 'Command line', { description: 'what it is for' })
  permission = Option.String('--permission', 'Provisioning only', {
    description:
      'what it may do: “Provisioning only”, “Provisioning and hosting”, “Sites” or “Read events”',
  })
  allow = Option.Array('--allow', [], {
    description: 'an address or range that calls may come from; can be repeated',
  })
  expires = Option.String('--expires', {
    description: 'the day or time (RFC 3339) at which it expires',
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
    this.report('the token will not be shown again')
  }
}
