import { domainToASCII } from 'node:url'
import type { Test } from 'tap'
import { call, type Panel } from '../support/panel.ts'
import type { Outcome, Php } from './php.ts'

// Scenarios for every billing system; its operations.php says how it carries each operation out.

/** The module under test and its test bench. */
export type Bench = { panel: Panel; php: Php }

export type Order = {
  service: string
  domain: string
  email: string
  package: string
  password: string
}

/** All special characters of a keyboard, and text that HTML, JSON, URLs or forms may change. */
export const awkward = `p%C3%A4&amp;'"<b>\\/+ #?=;:!@$^*()[]{}|~\`,.-_€ä`

export const packages = { starter: { max_sites: 5, disk_mb: 1_024 }, bigger: { disk_mb: 4_096 } }

let orders = 0
/** Services have numbers, as in most billing systems. */
export function newOrder(): Order {
  const service = String(++orders)
  return {
    service,
    domain: `shop${service}.example`,
    email: `owner${service}@example.com`,
    package: 'starter',
    password: `${awkward}${service}`,
  }
}

/** An account as the panel shows it; undefined if there is none. */
export async function accountOf(panel: Panel, username: string): Promise<any> {
  const { status, body } = await panel.call('GET', `/api/v1/accounts/${username}`)
  return status === 200 ? body : undefined
}

/** All accounts that a module has made for an order. */
export async function accountsFor({ pool }: Panel, { email }: Order): Promise<string[]> {
  const { rows } = await pool.query<{ username: string }>(
    `select username from panel.accounts where email = $1 and state <> 'terminated'`,
    [email],
  )
  return rows.map(({ username }) => username)
}

/** Makes an account one that the panel's own people have added: no module gave it a reference. */
export const withoutReference = ({ pool }: Panel, username: string) =>
  pool.query('update panel.accounts set reference = null where username = $1', [username])

/** Makes the packages that orders name; with another token, another seller's. */
export async function sellPackages({ baseUrl, token }: Panel, by = token): Promise<void> {
  for (const [name, body] of Object.entries(packages)) {
    await call(`${baseUrl}/api/v1/packages/${name}`, 'PUT', { body, token: by })
  }
}

/** Every outcome, good or bad, has no PHP warnings and no secrets in its logs. */
export function isClean(t: Test, outcome: Outcome, secrets: string[]): void {
  const { warnings, printed, logged, value, thrown } = outcome
  const shown = `${logged}\n${value?.message ?? ''}`
  const leaked = secrets.flatMap(formsOf).filter(form => shown.includes(form))
  t.strictSame(
    { warnings, printed, thrown, leaked },
    { warnings: [], printed: '', thrown: undefined, leaked: [] },
    'nothing is warned of, printed, thrown or logged that may not be',
  )
}

// The forms in which logs have been seen to contain secrets.
const formsOf = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  new URLSearchParams({ secret }).toString().slice('secret='.length),
  JSON.stringify(secret).slice(1, -1),
  JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/'),
  secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;'),
  Buffer.from(secret).toString('base64'),
]

/** An order's whole life, as on most days, with every step twice. */
export async function livesItsLife(
  t: Test,
  { panel, php }: Bench,
  order: Order,
  /** The reason that the panel gets for a suspension; null from systems that give none. */
  reason: string | null = 'Invoice «12» is overdue',
): Promise<void> {
  const { service } = order
  const links: string[] = []
  // The e-mail address is no secret, but must not be logged either.
  const secrets = [panel.token, order.password, order.email]
  const does = async (operation: string, values: object = {}) => {
    const outcome = await php.run(operation, { service, ...values })
    t.match(outcome.value, { ok: true }, operation)
    isClean(t, outcome, secrets)
    return outcome.value
  }

  const { username } = await does('create', order)
  t.strictSame(await accountsFor(panel, order), [username])
  t.match(await accountOf(panel, username), {
    email: order.email,
    package: 'starter',
    domain: order.domain,
    state: 'active',
  })
  t.match(username, /^[a-z][a-z0-9]{1,15}$/)

  await does('suspend', { reason })
  await does('suspend', { reason })
  t.match(await accountOf(panel, username), {
    state: 'suspended',
    suspend_reason: reason,
  })
  // A change of a suspended order does not unsuspend it.
  await does('changePackage', { package: 'bigger' })
  t.match(await accountOf(panel, username), { state: 'suspended', package: 'bigger' })
  await does('unsuspend')
  await does('unsuspend')
  t.match(await accountOf(panel, username), { state: 'active', package: 'bigger' })

  const changed = `changed ${awkward}`
  secrets.push(changed)
  const before = await passwordHash(panel, username)
  await does('setPassword', { password: changed })
  t.not(await passwordHash(panel, username), before)

  const { url } = await does('signOn')
  t.match(url, /^https:\/\/panel\.test:8443\/sso\//)
  links.push(url)
  const again = await php.run('signOn', { service })
  isClean(t, again, [...secrets, ...links, again.value.url])
  t.not(again.value.url, url, 'each click has a link of its own')

  await does('terminate')
  await does('terminate')
  t.equal(await accountOf(panel, username), undefined)

  // Made again within the hour, as after a mistaken cancellation.
  const { username: repeated } = await does('create', { ...order, username })
  t.match(await accountOf(panel, repeated), { state: 'active', domain: order.domain })
  await does('terminate')
}

/** A domain in capitals and letters beyond a to z, as typed; this PHP has no intl. */
export async function takesDomainsAsTyped(t: Test, { panel, php }: Bench): Promise<void> {
  const { domain, ...order } = newOrder()
  const typed = { ...order, domain: ` WWW.Bücher-${domain.toUpperCase()} ` }
  const made = await php.run('create', typed)
  isClean(t, made, [order.password])
  t.match(made.value, { ok: true }, 'create', made.value)
  const account = await accountOf(panel, made.value.username)
  t.equal(account.domain, domainToASCII(`bücher-${domain}`))
  t.match((await php.run('suspend', { service: order.service })).value, { ok: true })
  t.match((await php.run('terminate', { service: order.service })).value, { ok: true })
}

async function passwordHash({ pool }: Panel, username: string): Promise<string> {
  const { rows } = await pool.query<{ password_hash: string }>(
    'select password_hash from panel.accounts where username = $1',
    [username],
  )
  return rows[0]!.password_hash
}

/**
 * An order whose username has been taken by an account that this token can't see: it gets another
 * one, the same at each repeat, and the other account is not changed.
 */
export async function picksAnotherUsername(
  t: Test,
  { panel, php }: Bench,
  otherToken: string,
): Promise<void> {
  const order = newOrder()
  const { service } = order
  const first = await php.run('create', order)
  t.match(first.value, { ok: true })
  const { username } = first.value
  t.match((await php.run('terminate', { service })).value, { ok: true })
  const { service: _, ...fields } = { ...newOrder(), email: order.email }
  const theirs = await panel.call('POST', '/api/v1/accounts', {
    body: { ...fields, username },
    token: otherToken,
  })
  t.equal(theirs.status, 201)

  const made = await php.run('create', order)
  isClean(t, made, [order.password])
  t.match(made.value, { ok: true })
  t.not(made.value.username, username)
  t.equal((await php.run('create', order)).value.username, made.value.username)
  t.strictSame((await accountsFor(panel, order)).sort(), [username, made.value.username].sort())
  t.match(await accountOf(panel, username), { domain: fields.domain, state: 'active' })
  t.match(await accountOf(panel, made.value.username), { domain: order.domain })
}
