import type { Db } from '../db.ts'

// Secrets that must not leave the server, sealed as they are stored.

export type Sealed = { id: string; secret: Buffer }

/** The secrets of all webhooks; removed ones too, as logs still hold their deliveries. */
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

/** Addresses of webhooks, which may contain a secret. */
export async function listUrls(db: Db): Promise<string[]> {
  const { rows } = await db.query<{ url: string }>('select url from panel.webhooks')
  return rows.map(({ url }) => url)
}
