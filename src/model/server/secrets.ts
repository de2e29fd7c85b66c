import { all, anyFirst, type Db } from '../../db.ts'

// Secrets that must not leave the server, sealed as they are stored.

export type Sealed = { id: string; secret: Buffer }

/**
 * The secrets of all webhooks, also replaced ones that are still valid; those of removed webhooks
 * too, as logs still hold their deliveries.
 */
export const listSealedSecrets = (db: Db) => all<Sealed>(db)`
  select w.id, s.secret
  from panel.webhooks w, unnest(array[w.secret, w.previous_secret]) s (secret)
  where s.secret is not null`

export const listSealedFactors = (db: Db) => all<Sealed>(db)`
  select coalesce(operator_id::text, 'account:' || account_id) as id, s.secret
  from panel.second_factors f, unnest(array[f.secret, f.next_secret]) s (secret)
  where s.secret is not null`

/** Addresses of webhooks, which may contain a secret. */
export const listUrls = (db: Db) => anyFirst<string>(db)`select url from panel.webhooks`
