import { z } from 'zod'
import { type Db, maybeOne, run, oneFirst } from '../../db.ts'
import type { AcmeAccount } from './authority.ts'

// The server's only account at a certificate authority. The courier creates and uses it; root knows
// only its thumbprint.

/**
 * Returns the server's account, created if missing. If several couriers create one, the first wins.
 */
export async function ensure(db: Db, make: () => AcmeAccount): Promise<AcmeAccount> {
  const found = await find(db)
  if (found !== undefined) return found
  const { key, thumbprint } = make()
  await run(db)`
    insert into panel.acme_account (key, thumbprint) values (${key}, ${thumbprint})
    on conflict (is_single) do nothing`
  const made = await find(db)
  if (made === undefined) throw new Error('The ACME account was deleted')
  return made
}

const find = (db: Db) => maybeOne<AcmeAccount>(db)`select key, thumbprint from panel.acme_account`

// Root does not trust rows and parses this again.
const thumbprint = z.string().regex(/^[A-Za-z0-9_-]{43}$/)

/** Returns the thumbprint of the account; undefined without an account. */
export async function findThumbprint(db: Db): Promise<string | undefined> {
  return thumbprint
    .optional()
    .parse(await oneFirst<unknown>(db)`select thumbprint from panel.acme_account`)
}

/** Returns the thumbprint with which websites answer the authority's challenges. */
export async function getThumbprint(db: Db): Promise<string> {
  return thumbprint.parse(await oneFirst<unknown>(db)`select thumbprint from panel.acme_account`)
}
