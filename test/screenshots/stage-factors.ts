import {
  beginEnrolment,
  factorsKey,
  type Which,
} from '../../src/model/signing-in/second-factors.ts'
import type { Db } from '../../src/db.ts'
import { surroundings } from '../support/panel.ts'

/** Begins a user's second factor: the first, or one in its place. */
export async function beginFactor(pool: Db, name: string, which: Which = 'first'): Promise<void> {
  const { rows } = await pool.query<{ kind: 'operator' | 'account'; id: string }>(
    `select 'operator' as kind, id from panel.operators where name = $1
     union all select 'account', id from panel.accounts where username = $1`,
    [name],
  )
  const key = factorsKey(surroundings.serverKey())
  await beginEnrolment(pool, { ...rows[0]!, name }, 'panel.example.com', key, which)
}

/** Some have a second factor, and others are about to set one up. */
export async function stageFactors(pool: Db): Promise<void> {
  const secured = ['paula', 'rosa', 'hanna']
  for (const name of [...secured, 'admin', 'rita', 'alice']) await beginFactor(pool, name)
  await pool.query(
    `update panel.second_factors set confirmed_at = now(), last_step = 0
     where operator_id in (select id from panel.operators where name = any($1))
       or account_id in (select id from panel.accounts where username = any($1))`,
    [secured],
  )
}
