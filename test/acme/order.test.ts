import t from 'tap'
import { openAuthority } from '../../src/acme/authority.ts'
import { makeRequest } from '../../src/host/web/certificate-request.ts'
import { courierOn, serverKey } from '../courier.ts'
import { certificatesOf, makeWorld } from '../certificates/world.ts'
import { openPanel } from '../panel.ts'
import { until } from '../until.ts'
import { type Answer, serveAuthority } from './authority-server.ts'

// Whatever an authority answers, its certificate waits for another try, and the courier goes on.

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

/** Why the try that has been made last came to nothing; throws if the courier has ended. */
async function whyNot(tries: number): Promise<string> {
  const failed = until(async () => {
    const row = await find('bob.example')
    return row?.tries === tries && row.error
  })
  return String(await Promise.race([failed, courier.gaveUp.then(({ reason }) => reason)]))
}

let tries = 0
for (const [words, answer] of Object.entries(answers)) {
  t.test(`an authority may send ${words} for a certificate`, async t => {
    server.certificate = () => answer
    await (tries === 0 ? create('bob') : hasten('bob'))
    tries += 1
    const why = await whyNot(tries)
    t.match(why, /^The (authority has sent no certificate in PEM|chain .* is too long)$/)
  })
}

for (const [words, detail] of Object.entries({
  'a zero byte': 'no\0',
  'half a character': '\ud83d',
})) {
  t.test(`an authority may refuse an order with ${words}`, async t => {
    server.refusal = { status: 403, text: JSON.stringify({ detail }) }
    await hasten('bob')
    tries += 1
    t.match(await whyNot(tries), /^(no)?\ufffd$/)
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

for (const [renews, replaces, replaced] of [
  ['no', 'a.b', [undefined]],
  ['yes', 'a.b', ['a.b']],
  ['yes', null, [undefined]],
  // It is ordered all the same.
  ['refuses', 'a.b', ['a.b', undefined]],
] as const) {
  t.test(`where an authority says «${renews}», what an order replaces is ${replaced}`, async t => {
    server.renews = renews
    server.replaced.length = 0
    const pem = `${begin}\nMII\n${end}\n`
    server.certificate = () => ({ type, text: pem })
    const { request } = await makeRequest(['a.example'], undefined)
    t.equal(await order(newAccount(), request, replaces), pem)
    t.strictSame(server.replaced, replaced)
  })
}
