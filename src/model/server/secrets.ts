import { all, anyFirst, type Db } from '../../db.ts'

// Secrets that must not leave the server, encrypted as they are stored.

export type Sealed = { id: string; secret: Buffer }

/**
 * Returns the secrets of all webhooks, including replaced ones that are still valid, and those of
 * removed webhooks, because logs still contain their deliveries.
 */
export const listSealedSecrets = (db: Db) => all<Sealed>(db)`
  select w.id, s.secret
  from panel.webhooks w, unnest(array[w.secret, w.previous_secret]) s (secret)
  where s.secret is not null`

export const listSealedFactors = (db: Db) => all<Sealed>(db)`
  select coalesce(operator_id::text, 'account:' || account_id) as id, s.secret
  from panel.second_factors f, unnest(array[f.secret, f.next_secret]) s (secret)
  where s.secret is not null`

/** Returns the addresses of webhooks, which may contain a secret. */
export const listUrls = (db: Db) => anyFirst<string>(db)`select url from panel.webhooks`
