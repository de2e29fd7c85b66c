import { getOperator } from '../../model/sellers/operators.ts'
import { listTokens } from '../../model/signing-in/tokens.ts'
import { table } from '../columns.ts'
import { option } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'

const columns = ['ID', 'OWNER', 'NAME', 'STATE', 'LAST USED', 'ALLOWED', 'EXPIRES', 'CREATED']

export class TokenLsCommand extends DatabaseCommand {
  static override summary = 'list API tokens'
  static override details = `
    A token is valid, revoked, expired, or void because its owner's password or second factor
    has changed. The tokens themselves are not stored.
  `
  static override examples = {
    'List all': '$0',
    'List the tokens of one owner': '$0 --owner bob --json',
  }

  owner = option('--owner', 'operators', 'only the tokens of this owner')

  async act(): Promise<void> {
    const { db } = await this.open()
    if (this.owner !== undefined) await getOperator(db, this.owner)
    const tokens = await listTokens(db, this.owner)
    const rows = tokens.map(token => [
      token.id,
      token.owner,
      token.name,
      token.state,
      token.last_used_at,
      token.allowed,
      token.expires_at,
      token.created_at,
    ])
    this.show({ tokens }, table(columns, rows))
  }
}
