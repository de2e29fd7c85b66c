import { randomUUID } from 'node:crypto'
import { getOperator } from '../../../src/model/sellers/operators.ts'
import {
  findSession,
  openAccountSession,
  openOperatorSession,
} from '../../../src/model/signing-in/sessions.ts'
import { signIn as enterPassword } from '../../../src/model/signing-in/sign-in.ts'
import { surroundings, type Panel } from '../panel.ts'
import { visit, type Page } from './browser.ts'
import type { Window } from './chromium.ts'

export type SignedIn = {
  cookie: string
  get: (path: string, headers?: Record<string, string>) => Promise<Page>
  /** Draws the form, fills it in and sends it, as a browser does. */
  submit: (path: string, fields?: Fields, more?: Partial<Sent>) => Promise<Page>
}

/** Several boxes have one name. */
type Fields = Record<string, string | string[]>

type Sent = {
  headers: Record<string, string>
  /** Instead of a new one. */
  key: string
  token: string
}

/** The name of the tests' panel. */
const origin = 'https://panel.test:8443'

/** The value of an owner's session cookie. */
export async function openSession(panel: Panel, name: string): Promise<string> {
  const { id } = await getOperator(panel.pool, name)
  const cookie = await openOperatorSession(panel.pool, id, {
    address: '127.0.0.1',
    browser: undefined,
  })
  return cookie!
}

/** The value of a customer's session cookie. */
export async function openCustomerSession(
  panel: Panel,
  username: string,
  parent: string | null = null,
): Promise<string> {
  const { rows } = await panel.pool.query<{ id: string }>(
    `select id from panel.accounts where username = $1 and state <> 'terminated'`,
    [username],
  )
  const cookie = await openAccountSession(panel.pool, rows[0]!.id, {
    address: '127.0.0.1',
    browser: undefined,
    parent,
  })
  return cookie!
}

/** The options of a user's browser window. */
export async function cookiesOf(
  panel: Panel,
  name: string,
): Promise<Pick<Window, 'session' | 'customer'>> {
  const { rows } = await panel.pool.query('select from panel.operators where name = $1', [name])
  return rows.length > 0
    ? { session: await openSession(panel, name) }
    : { customer: await openCustomerSession(panel, name) }
}

/** The same of an owner who has signed in as a customer. */
export async function cookiesAs(
  panel: Panel,
  owner: string,
  username: string,
): Promise<Pick<Window, 'session' | 'customer'>> {
  const { pool } = panel
  const session = await openSession(panel, owner)
  const parent = (await findSession(pool, session))!.id
  return { session, customer: await openCustomerSession(panel, username, parent) }
}

/** The same of an owner whose password was right, where a second factor is demanded. */
export async function pendingOf(
  { pool }: Panel,
  name: string,
  password: string,
): Promise<Pick<Window, 'pending'>> {
  const demand = (isDesired: boolean) =>
    pool.query('update panel.server set demands_second_factor = $1', [isDesired])
  await demand(true)
  const at = { address: '127.0.0.1', browser: undefined, known: undefined }
  const outcome = await enterPassword(pool, { name, password }, at, surroundings.serverKey())
  await demand(false)
  return 'pending' in outcome ? { pending: outcome.pending } : {}
}

/** An owner in a browser, without its sign-in. */
export const signIn = async (panel: Panel, name = 'admin'): Promise<SignedIn> =>
  browse(panel, `__Host-panel=${await openSession(panel, name)}`, '/overview')

/** A customer in a browser, without its sign-in. */
export const signInAs = async (panel: Panel, username: string): Promise<SignedIn> =>
  browse(panel, `__Host-panel-account=${await openCustomerSession(panel, username)}`, '/account')

function browse(panel: Panel, cookie: string, first: string): SignedIn {
  const get: SignedIn['get'] = (path, headers = {}) =>
    visit(`${panel.baseUrl}${path}`, { headers: { cookie, ...headers } })
  return {
    cookie,
    get,
    async submit(path, fields = {}, { headers = {}, key = randomUUID(), token } = {}) {
      const known = token ?? /name="token" value="([^"]+)"/.exec((await get(first)).text)?.[1]
      const entries = Object.entries({ token: known ?? '', key, ...fields })
      const body = new URLSearchParams()
      for (const [name, all] of entries) for (const one of [all].flat()) body.append(name, one)
      return visit(`${panel.baseUrl}${path}`, {
        method: 'POST',
        headers: {
          ...{ cookie, origin, 'sec-fetch-site': 'same-origin' },
          ...{ 'content-type': 'application/x-www-form-urlencoded', ...headers },
        },
        body: body.toString(),
      })
    },
  }
}
