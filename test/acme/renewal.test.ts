import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { renewal, waitOf } from '../../src/acme/renewal.ts'
import { renewalIdOf } from '../../src/host/web/renewal-id.ts'
import { makeAuthority, makeKeys } from '../support/authority.ts'

// Advice of authorities about renewals (RFC 9773), with invalid advice too.

// RFC 9773, appendix A.
const example = `-----BEGIN CERTIFICATE-----
MIIBQzCB66ADAgECAgUAh2VDITAKBggqhkjOPQQDAjAVMRMwEQYDVQQDEwpFeGFt
cGxlIENBMCIYDzAwMDEwMTAxMDAwMDAwWhgPMDAwMTAxMDEwMDAwMDBaMBYxFDAS
BgNVBAMTC2V4YW1wbGUuY29tMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEeBZu
7cbpAYNXZLbbh8rNIzuOoqOOtmxA1v7cRm//AwyMwWxyHz4zfwmBhcSrf47NUAFf
qzLQ2PPQxdTXREYEnKMjMCEwHwYDVR0jBBgwFoAUaYhba4dGQEHhs3uEe6CuLN4B
yNQwCgYIKoZIzj0EAwIDRwAwRAIge09+S5TZAlw5tgtiVvuERV6cT4mfutXIlwTb
+FYN/8oCIClDsqBklhB9KAelFiYt9+6FDj3z4KGVelYM5MdsO3pK
-----END CERTIFICATE-----
`
const exampleId = 'aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE'

t.test('the id of a certificate is that of the RFC', async t => {
  t.equal(await renewalIdOf(example), exampleId)
  t.equal(await renewalIdOf(`${example}${example}`), exampleId, 'of the first of a chain')
})

t.test('a certificate that does not name the key of its issuer has none', async t => {
  const { sign } = await makeAuthority()
  const { publicKey } = await makeKeys()
  t.equal(await renewalIdOf(await sign(publicKey, { names: ['a.example'] })), null)
})

const hour = 3_600_000
const now = Date.UTC(2026, 0, 1)
for (const [header, ms] of [
  ['21600', 6 * hour],
  ['7200 ', 2 * hour],
  ['0', hour],
  ['1', hour],
  ['-5', 6 * hour],
  ['99999999999999999999', 24 * hour],
  ['1e3', 6 * hour],
  ['Thu, 01 Jan 2026 03:00:00 GMT', 3 * hour],
  ['Thu, 01 Jan 1970 00:00:00 GMT', hour],
  ['Thu, 01 Jan 2099 00:00:00 GMT', 24 * hour],
  ['soon', 6 * hour],
  ['', 6 * hour],
  [undefined, 6 * hour],
  [['3600'], 6 * hour],
] as const) {
  t.test(`Retry-After ${JSON.stringify(header)} is ${ms / hour} hours`, async t => {
    t.equal(waitOf(header, now), ms)
  })
}

type Send = (response: ServerResponse) => unknown
const json = (value: unknown, headers = {}): Send => {
  return response => response.writeHead(200, headers).end(JSON.stringify(value))
}
const suggested = (start: unknown, end: unknown) => json({ suggestedWindow: { start, end } })
const from = '2026-01-02T04:00:00Z'
const to = '2026-01-03T04:00:00Z'

const answers: Record<string, [Send, object | RegExp]> = {
  'a time': [suggested(from, to), { start: new Date(from), end: new Date(to) }],
  'a time with an offset': [
    suggested('2026-01-02T05:00:00+01:00', to),
    { start: new Date(from), askAgainMs: 6 * hour },
  ],
  'a time, and when to ask again': [
    json(
      { suggestedWindow: { start: from, end: to }, explanationURL: 'javascript:' },
      {
        'retry-after': '10800',
      },
    ),
    { askAgainMs: 3 * hour },
  ],
  'a time of no length': [suggested(from, from), /ends before it begins/],
  'a time that ends before it begins': [suggested(to, from), /ends before it begins/],
  'no time of day': [suggested('2026-01-02', to), /Invalid/],
  'a time far out of range': [suggested('+999999-01-01T00:00:00Z', to), /Invalid/],
  numbers: [suggested(1, 2), /expected string/],
  'half a window': [suggested(from, undefined), /expected string/],
  null: [json(null), /expected object/],
  'a list': [json([]), /Invalid input|expected object/],
  'no JSON': [response => response.end('<html>'), /JSON/],
  nothing: [response => response.end(), /JSON/],
  'nothing of the kind': [response => response.writeHead(404).end('{}'), /answered 404/],
  'an error of its own': [
    response => response.writeHead(500, { 'retry-after': '86400' }).end(),
    /answered 500/,
  ],
  'too many requests': [
    response => response.writeHead(429, { 'retry-after': '86400' }).end(),
    /answered 429/,
  ],
  'another address': [
    response => response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
    /fetch failed/,
  ],
  'too much': [
    response => response.end(JSON.stringify({ a: 'x'.repeat(2 ** 17) })),
    /sent too large an answer/,
  ],
  'a connection that ends': [response => response.destroy(), /fetch failed/],
  'nothing, ever': [response => void response.writeHead(200).flushHeaders(), /timeout/],
}

t.test('an authority may say when a certificate is due', async t => {
  let answer: Send = json({})
  let directory: unknown
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    if (request.url === '/directory') json(directory)(response)
    else answer(response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => server.close().closeAllConnections())
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const ask = () => renewal(`${base}/directory`, exampleId, 500)

  for (const [words, [send, expected]] of Object.entries(answers)) {
    await t.test(words, async t => {
      directory = { renewalInfo: `${base}/renewal`, newOrder: 'x' }
      answer = send
      const found = await ask().catch((error: Error) => error.message)
      t.match(found, expected)
      t.equal(asked.at(-1), `/renewal/${exampleId}`)
    })
  }
  for (const value of [{}, { newOrder: 'x' }]) {
    await t.test(`a directory like ${JSON.stringify(value)}: no renewals`, async t => {
      directory = value
      t.equal(await ask(), undefined)
    })
  }
  for (const value of [{ renewalInfo: 'file:///etc/passwd' }, { renewalInfo: 1 }, null, 'x']) {
    await t.test(`a directory like ${JSON.stringify(value)}, which fails`, async t => {
      directory = value
      await t.rejects(ask())
      t.equal(asked.at(-1), '/directory')
    })
  }
})
