import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

// An ACME authority over HTTP that takes every order at its word: no name is to be proven. How it
// answers for the certificate, or refuses the order, a test says.

export type Answer = { status?: number; type?: string; text: string }

type Payload = { csr?: string; replaces?: string }

export type AuthorityServer = {
  directory: string
  /** Replaces the answer that holds the chain of a request (base64url of its DER). */
  certificate: (request: string) => Promise<Answer> | Answer
  /** Refuses orders, with this answer. */
  refusal: Answer | undefined
  /** Whether it knows of renewals (RFC 9773). */
  renews: boolean
  /** Refuses orders that replace a certificate, with this answer; null hangs up. */
  replacing: Answer | null | undefined
  /** The certificates that its orders were to replace. */
  replaced: (string | undefined)[]
}

export async function serveAuthority(t: Test): Promise<AuthorityServer> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => server.close().closeAllConnections())
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const authority: AuthorityServer = {
    directory: `${base}/directory`,
    certificate: () => ({ text: '' }),
    refusal: undefined,
    renews: false,
    replacing: undefined,
    replaced: [],
  }
  let request = ''
  const orderIs = (status: string) => ({
    status,
    identifiers: [],
    authorizations: [],
    finalize: `${base}/finalize`,
    ...(status === 'valid' ? { certificate: `${base}/certificate` } : {}),
  })
  const json = (value: unknown, status = 200): Answer => ({ status, text: JSON.stringify(value) })
  const answers: Record<string, (payload: Payload) => Promise<Answer> | Answer | null> = {
    '/directory': () => {
      const named = ['newNonce', 'newAccount', 'newOrder']
      if (authority.renews) named.push('renewalInfo')
      return json(Object.fromEntries(named.map(name => [name, `${base}/${name}`])))
    },
    '/newNonce': () => json({}),
    '/newAccount': () => json({ status: 'valid' }),
    // The account's own address.
    '/one': () => json({ status: 'valid' }),
    '/newOrder': ({ replaces }) => {
      authority.replaced.push(replaces)
      if (replaces !== undefined && authority.replacing !== undefined) return authority.replacing
      return authority.refusal ?? json(orderIs('ready'), 201)
    },
    '/finalize': ({ csr = '' }) => {
      request = csr
      return json(orderIs('valid'))
    },
    '/certificate': () => authority.certificate(request),
  }
  server.on('request', async (asked, response) => {
    const body = Buffer.concat(await Array.fromAsync(asked)).toString()
    const { payload = '' } = body === '' ? {} : JSON.parse(body)
    const sent = Buffer.from(payload, 'base64url').toString()
    const answer = answers[asked.url ?? ''] ?? (() => json({}, 404))
    const given = await answer(sent === '' ? {} : JSON.parse(sent))
    if (given === null) {
      asked.socket.destroy()
      return
    }
    const { status = 200, type = 'application/json', text } = given
    response.setHeader('replay-nonce', 'bm9uY2U').setHeader('location', `${base}/one`)
    response.writeHead(status, { 'content-type': type }).end(text)
  })
  return authority
}
