import { randomBytes } from 'node:crypto'
import { newAccount } from '../../../src/acme/account-key.ts'
import type { Authority } from '../../../src/model/certificates/authority.ts'
import { makeAuthority } from '../authority.ts'
import type { Panel } from '../panel.ts'
import { until } from '../until.ts'

// The courier's outside world: where names point, and an authority that signs. The real ones are
// used in test/acme and test/machine.

export type World = Authority & {
  /** Names that point to this server. */
  pointing: Set<string>
  /** Requests that the authority has received. */
  asked: string[]
  /** The certificates that each of them was to replace. */
  replaced: (string | null)[]
  /** Answers a request as the authority; a test may replace it. */
  sign: (request: string) => Promise<string>
  /** The authority's own certificate. */
  certificate: string
}

/** @param namesKey whether its certificates name its key, by which it is asked when to renew */
export async function makeWorld({ namesKey = false } = {}): Promise<World> {
  const serverKey = randomBytes(32)
  const { signRequest, certificate } = await makeAuthority()
  const world: World = {
    pointing: new Set(),
    asked: [],
    replaced: [],
    sign: request => signRequest(request, { namesKey }),
    certificate,
    resolve: async name =>
      world.pointing.has(name)
        ? { addresses: ['192.0.2.1'], why: undefined }
        : { addresses: [], why: `${name} has no address` },
    newAccount: () => newAccount(serverKey),
    whyUnanswered: async () => undefined,
    renewal: async () => undefined,
    order: (_account, request, replaces) => {
      world.asked.push(request)
      world.replaced.push(replaces)
      return world.sign(request)
    },
  }
  return world
}

/** Tests use these on one panel's certificates. */
export function certificatesOf({ pool, call }: Panel) {
  const find = async (domain: string) => {
    const { rows } = await pool.query(
      `select c.*, s.ssl, c.due_at - now() as due_in
       from panel.certificates c join panel.sites s on s.id = c.site_id
       where s.domain = $1`,
      [domain],
    )
    return rows[0]
  }
  return {
    find,
    /** Creates an account with a website of this name; returns its answer. */
    create: (username: string) =>
      call('POST', '/api/v1/accounts', {
        body: {
          username,
          password: 'correct horse battery',
          email: 'owner@example.com',
          package: 'starter',
          domain: `${username}.example`,
        },
      }),
    /** Waits until the account's answer shows this state. */
    untilSsl: (username: string, ssl: string) =>
      until(async () => {
        const { body } = await call('GET', `/api/v1/accounts/${username}`)
        return body.sites[0].ssl === ssl && find(`${username}.example`)
      }),
    /** Makes the next attempt due. */
    hasten: async (username: string, columns = 'due_at = now()') => {
      await pool.query(
        `update panel.certificates set ${columns}
         where site_id = (select id from panel.sites where domain = $1)`,
        [`${username}.example`],
      )
      await pool.query('select panel.sweep()')
    },
    events: async (username: string) => {
      const { rows } = await pool.query(
        `select data from panel.events where name = 'ssl.issued' and data ->> 'username' = $1
         order by id`,
        [username],
      )
      return rows.map(({ data }) => data)
    },
  }
}
