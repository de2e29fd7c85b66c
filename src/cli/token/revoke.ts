import { z } from 'zod'
import { listTokens, revokeToken } from '../../model/signing-in/tokens.ts'
import { AskingCommand } from '../asking-command.ts'
import { argument } from '../completion/completers.ts'

// The refusal does not repeat what was given: it may be a token.
const Words = z.object({
  id: z.string().regex(/^[1-9][0-9]{0,17}$/, 'must be a number from `panel token ls`'),
})

export class TokenRevokeCommand extends AskingCommand {
  static override summary = 'revoke an API token'
  static override details = `
    Work that the token has started finishes. Revoking cannot be undone, so the command asks for
    confirmation.
  `
  static override examples = { 'Revoke a token without confirmation': '$0 12 --yes' }

  id = argument('ID', 'tokens')

  async act(): Promise<void> {
    const { id } = this.parse(Words)
    const { db } = await this.open()
    const token = (await listTokens(db, undefined)).find(one => one.id === id)
    if (token?.state === 'valid')
      await this.ask(`The token ${token.name} will be revoked permanently.`)
    const about = token && `${token.owner}, token ${token.name}`
    const change = { action: 'token/revoke', about: about ?? null } as const
    const revoked_at = await this.recorded(db, change, own => revokeToken(own, id))
    this.show({ id, revoked_at })
  }
}
