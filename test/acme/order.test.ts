import t from 'tap'
import { openAuthority } from '../../src/acme/authority.ts'
import { makeRequest } from '../../src/host/web/certificate-request.ts'
import { courierOn, serverKey } from '../support/courier.ts'
import { certificatesOf, makeWorld } from '../support/certificates/world.ts'
import { openPanel } from '../support/panel.ts'
import { until } from '../support/until.ts'
import { type Answer, serveAuthority } from '../support/acme/authority-server.ts'

// Any answer of an authority leaves its certificate waiting for another attempt, and the courier
// goes on.

const panel = await openPanel(t)
await panel.call('PUT', '/api/v1/packages/starter', { body: {} })
await panel.pool.query(`select panel.set_issuing(true, '{}')`)
const server = await serveAuthority(t)
const world = await makeWorld()
const { directory } = server
const by = { directory, serverKey, resolver: null, addresses: null }
const { newAccount, order } = openAuthority(by)
const courier = await courierOn(t, panel.databaseUrl, {
  authority: { ...world, newAccount, order },
})
const { create, find, hasten, untilSsl } = certificatesOf(panel)
world.pointing.add('bob.example')

const type = 'application/pem-certificate-chain'
const begin = '-----BEGIN CERTIFICATE-----'
const end = '-----END CERTIFICATE-----'
const answers: Record<string, Answer> = {
  'a zero byte': { type, text: 'no\0thing' },
  'a zero byte within a certificate': { type, text: `${begin}\nMII\0\n${end}\n` },
  nothing: { type, text: '' },
  null: { text: 'null' },
  'JSON with a zero byte': { text: JSON.stringify({ error: '\0', chain: ['\ud83d'] }) },
  'an endless chain': { type, text: `${begin}\nMII\n${end}\n`.repeat(2_000) },
}

/** Why the attempt that has been made last came to nothing; throws if the courier has ended. */
async function whyNot(attempts: number): Promise<string> {
  const failed = until(async () => {
    const row = await find('bob.example')
    return row?.attempts === attempts && row.error
  })
  return String(await Promise.race([failed, courier.gaveUp.then(({ reason }) => reason)]))
}

let attempts = 0
for (const [words, answer] of Object.entries(answers)) {
  t.test(`an authority may send ${words} for a certificate`, async t => {
    server.certificate = () => answer
    await (attempts === 0 ? create('bob') : hasten('bob'))
    attempts += 1
    const why = await whyNot(attempts)
    t.match(why, /^The (authority sent no PEM certificate|certificate chain.* is too long)$/)
  })
}

for (const [words, detail] of Object.entries({
  'a zero byte': 'no\0',
  'half a character': '\ud83d',
})) {
  t.test(`an authority may refuse an order with ${words}`, async t => {
    server.refusal = { status: 403, text: JSON.stringify({ detail }) }
    await hasten('bob')
    attempts += 1
    t.match(await whyNot(attempts), /^(no)?\ufffd$/)
    server.refusal = undefined
  })
}

t.test('a chain is taken out of whatever is around it', async t => {
  server.certificate = async request => {
    const lines = Buffer.from(request, 'base64url').toString('base64')
    const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${lines}\n-----END CERTIFICATE REQUEST-----\n`
    return { type, text: `\0 ${await world.sign(pem)}\0` }
  }
  await hasten('bob')
  t.match(await untilSsl('bob', 'issued'), { error: null, chain: null })
})

const pem = `${begin}\nMII\n${end}\n`
const orderReplacing = async (replaces: string | null) => {
  server.replaced.length = 0
  server.certificate = () => ({ type, text: pem })
  const { request } = await makeRequest(['a.example'], undefined)
  return order(newAccount(), request, replaces)
}

for (const [renews, replaces, replaced] of [
  [false, 'a.b', undefined],
  [true, 'a.b', 'a.b'],
  [true, null, undefined],
] as const) {
  t.test(`an order replaces ${replaced} where renewals are ${renews}`, async t => {
    server.renews = renews
    t.equal(await orderReplacing(replaces), pem)
    t.strictSame(server.replaced, [replaced])
  })
}

const problem = (status: number, error: string, detail?: unknown): Answer => ({
  status,
  type: 'application/problem+json',
  text: JSON.stringify({ type: `urn:ietf:params:acme:error:${error}`, detail }),
})

for (const [words, refusal, isRepeated] of [
  ['one that was replaced', problem(409, 'alreadyReplaced'), true],
  ['one of other names', problem(400, 'malformed', 'no\0'), true],
  ['one it does not know', problem(404, 'malformed', 'Not found'), true],
  ['one of another account', problem(403, 'unauthorized', 'Not yours'), true],
  ['any, as there are too many', problem(429, 'rateLimited', 'Too many'), false],
  ['any of this name', problem(400, 'rejectedIdentifier', 'No'), false],
  ['any, having failed', problem(500, 'serverInternal', 'Sorry'), false],
  ['any, and gives no type', { status: 400, text: '{"detail":"malformed"}' }, false],
  ['any, in words', { status: 503, text: 'malformed' }, false],
  ['any, and hangs up', null, false],
] as const) {
  const outcome = isRepeated ? 'without that' : 'not again'
  t.test(`an authority may refuse to replace ${words}: it is asked ${outcome}`, async t => {
    server.renews = true
    server.replacing = refusal
    const ordered = orderReplacing('a.b')
    if (isRepeated) t.equal(await ordered, pem)
    else await t.rejects(ordered)
    t.strictSame(server.replaced, isRepeated ? ['a.b', undefined] : ['a.b'])
    server.replacing = undefined
  })
}
