import type { Fields } from '../../../src/web/fields.ts'
import type { Page, Role } from '../../../src/web/page.ts'
import { pages } from '../../../src/web/pages.ts'
import { addWebhook, newSecret, secretsKey } from '../../../src/model/events/webhooks.ts'
import { addOperator } from '../../../src/model/sellers/operators.ts'
import { createToken } from '../../../src/model/signing-in/tokens.ts'
import { alice, surroundings, type Panel } from '../panel.ts'
import { makeReseller } from '../reseller.ts'
import { addressOf } from './address-of.ts'
import { openCustomerSession, openSession, signIn, signInAs, type SignedIn } from './signed-in.ts'

// Every form of the table of pages, with something of the user's own in its address. A form that is
// added is here too; only a new kind of name in an address has to be added.

/** A form, for one of those whom it is for. */
export type Asked = { role: Role; path: string; page: Page; fields: Fields }

/** The user. */
export const names: Record<Role, string> = {
  administrator: 'boss',
  reseller: 'rita',
  customer: 'alice',
}

export const open = (panel: Panel, role: Role): Promise<SignedIn> =>
  role === 'customer' ? signInAs(panel, names.customer) : signIn(panel, names[role])

/** Adds people, and something of every kind that forms are about. */
export async function stage(panel: Panel): Promise<Asked[]> {
  const { pool, call } = panel
  const shop = await makeReseller(pool, names.reseller)
  for (const name of [names.administrator, 'other']) {
    await addOperator(pool, {
      ...{ name, role: 'administrator', email: `${name}@example.com` },
      password: 'a password of it',
    })
  }
  const { token } = shop
  await call('PUT', '/api/v1/packages/starter', { body: { max_sites: 9 } })
  await call('PUT', '/api/v1/packages/small', { token, body: { max_sites: 9 } })
  await call('POST', '/api/v1/accounts', { body: alice })
  const rob = { ...alice, username: 'rob', domain: 'rob.example', package: 'small' }
  await call('POST', '/api/v1/accounts', { token, body: rob })
  const webhook = await addWebhook(
    pool,
    { url: 'https://hooks.example/', events: [], secret: newSecret() },
    secretsKey(surroundings.serverKey()),
  )
  await call('POST', '/api/v1/accounts/alice/suspend', { body: {} })
  await call('POST', '/api/v1/accounts/alice/unsuspend', { body: {} })
  await openCustomerSession(panel, names.customer)
  for (const owner of [names.administrator, names.reseller]) {
    await openSession(panel, owner)
    await createToken(pool, { owner, name: 'own' })
  }
  const idOf = async (query: string): Promise<string> => (await pool.query(query)).rows[0].id
  const ownedBy = (role: Role, table: string) =>
    idOf(`select t.id from panel.${table} t join panel.operators o on o.id = t.operator_id
      where o.name = '${names[role]}' limit 1`)
  const common = {
    jobs: await idOf(`select id from panel.operations where username = 'alice' limit 1`),
    deliveries: await idOf('select id from panel.deliveries limit 1'),
    webhooks: webhook.id,
    resellers: names.reseller,
    administrators: 'other',
  }
  const things: Record<Role, Record<string, string>> = {
    administrator: {
      ...{ ...common, accounts: 'alice', packages: 'starter', sites: alice.domain },
      databases: 'alice_shop',
      sessions: await ownedBy('administrator', 'sessions'),
      tokens: await ownedBy('administrator', 'tokens'),
    },
    reseller: {
      ...{ ...common, accounts: 'rob', packages: 'small', sites: rob.domain },
      databases: 'rob_shop',
      sessions: await ownedBy('reseller', 'sessions'),
      tokens: await ownedBy('reseller', 'tokens'),
    },
    customer: {
      ...{ jobs: common.jobs, sites: alice.domain },
      sessions: await idOf(`select s.id from panel.sessions s
        join panel.accounts a on a.id = s.account_id where a.username = 'alice' limit 1`),
      // None is there: what is about them ends with 404, and never with what is another's.
      ...{ databases: 'alice_shop', users: 'alice_shop' },
    },
  }
  const forms = pages.filter(({ post }) => post !== undefined)
  const asked: Asked[] = []
  for (const page of forms) {
    for (const role of page.roles) {
      const fields = 'fields' in page ? (page.fields as Fields) : {}
      asked.push({ role, page, fields, path: addressOf(page.path, things[role], role) })
    }
  }
  return asked
}

/** All that forms may change, as it is once nothing is in progress. */
export async function stateOf({ pool }: Panel): Promise<Record<string, unknown>> {
  const { rows } = await pool.query(`
    select (select jsonb_agg(to_jsonb(o) order by id) from panel.operators o) as operators,
      (select jsonb_agg(to_jsonb(s) order by id) from panel.sellers s) as sellers,
      (select jsonb_agg(to_jsonb(p) order by id) from panel.packages p) as packages,
      (select jsonb_agg(to_jsonb(a) order by id) from panel.accounts a) as accounts,
      (select jsonb_agg(to_jsonb(s) order by id) from panel.sites s) as sites,
      (select jsonb_agg(to_jsonb(k) order by id) from panel.sftp_keys k) as keys,
      (select jsonb_agg(to_jsonb(d) order by id) from panel.databases d) as databases,
      (select jsonb_agg(to_jsonb(t) order by id) from panel.tokens t) as tokens,
      (select jsonb_agg(to_jsonb(w) order by id) from panel.webhooks w) as webhooks,
      (select jsonb_agg(to_jsonb(f)) from panel.second_factors f) as factors,
      (select jsonb_agg(to_jsonb(c)) from panel.recovery_codes c) as codes,
      (select to_jsonb(s) - 'asked_at' from panel.server s) as server,
      (select jsonb_agg(to_jsonb(p)) from panel.paused_tasks p) as paused,
      (select jsonb_agg(id order by id) from panel.sessions
        where expires_at > now() and revoked_at is null) as sessions,
      (select count(*)::int from panel.deliveries) as deliveries,
      (select count(*)::int from panel.operations where session_id is not null) as operations,
      (select count(*)::int from panel.history) as history`)
  return rows[0]
}
