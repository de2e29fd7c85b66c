import { z } from 'zod'
import type { Db } from '../db.ts'
import type { AcmeAccount } from './authority.ts'

// The server's one account at a certificate authority. The courier makes and uses it; root knows
// only its thumbprint.

/** The server's account, made if there is none. If several couriers make one, the first counts. */
export async function ensure(db: Db, make: () => AcmeAccount): Promise<AcmeAccount> {
  const found = await find(db)
  if (found !== undefined) return found
  const { key, thumbprint } = make()
  await db.query(
    `insert into panel.acme_account (key, thumbprint) values ($1, $2)
     on conflict (is_single) do nothing`,
    [key, thumbprint],
  )
  const made = await find(db)
  if (made === undefined) throw new Error('The account for certificates is gone')
  return made
}

async function find(db: Db): Promise<AcmeAccount | undefined> {
  const { rows } = await db.query<AcmeAccount>('select key, thumbprint from panel.acme_account')
  return rows[0]
}

// Root trusts no row and parses it again.
const thumbprint = z.string().regex(/^[A-Za-z0-9_-]{43}$/)

/** The thumbprint with which websites answer the authority's challenges. */
export async function getThumbprint(db: Db): Promise<string> {
  const { rows } = await db.query<{ thumbprint: string }>(
    'select thumbprint from panel.acme_account',
  )
  return thumbprint.parse(rows[0]?.thumbprint)
}
