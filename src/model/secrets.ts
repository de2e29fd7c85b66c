import type { Db } from '../db.ts'

// What must not leave the server, as the rows have it.

export type Sealed = { id: string; secret: Buffer }

/** The secrets of all webhooks, removed ones included: their deliveries are still in the logs. */
export async function listSealedSecrets(db: Db): Promise<Sealed[]> {
  const { rows } = await db.query<Sealed>('select id, secret from panel.webhooks')
  return rows
}

export async function listSealedFactors(db: Db): Promise<Sealed[]> {
  const { rows } = await db.query<Sealed>(
    'select owner_id::text as id, secret from panel.second_factors',
  )
  return rows
}

/** Where webhooks are sent, which may name a secret. */
export async function listUrls(db: Db): Promise<string[]> {
  const { rows } = await db.query<{ url: string }>('select url from panel.webhooks')
  return rows.map(({ url }) => url)
}
