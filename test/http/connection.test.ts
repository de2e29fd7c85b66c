import t from 'tap'
import { createToken } from '../../src/model/signing-in/tokens.ts'
import { exchange } from '../support/api/exchange.ts'
import { isRefusal } from '../support/api/refusals.ts'
import { openPanel } from '../support/panel.ts'

// On one connection: the end of a request must be certain, and the next one gets its turn.

const { baseUrl, call, pool, token } = await openPanel(t, { hasWorker: false })

const head = `Host: panel.test\r\nAuthorization: Bearer ${token}\r\n`
const put = (name: string) => `PUT /api/v1/packages/${name} HTTP/1.1\r\n${head}`
const whole = (name: string) => `${put(name)}Content-Length: 2\r\n\r\n{}`
const hidden = whole('hidden')
const chunked = 'Transfer-Encoding: chunked\r\n\r\n'
const send = (text: string) => exchange(baseUrl, Buffer.from(text, 'latin1'))

async function packages(): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>('delete from panel.packages returning name')
  return rows.map(({ name }) => name).sort()
}

const unclear: [title: string, text: string][] = [
  ['chunks that are longer than the length', `${put('a')}Content-Length: 6\r\n${chunked}0\r\n\r\n`],
  [
    'chunks before a length',
    `${put('a')}Transfer-Encoding: chunked\r\nContent-Length: 6\r\n\r\n0\r\n\r\n`,
  ],
  ['one length twice', `${put('a')}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}`],
  ['a list of lengths', `${put('a')}Content-Length: 2, 2\r\n\r\n{}`],
  ['a length with a sign', `${put('a')}Content-Length: +2\r\n\r\n{}`],
  ['a hexadecimal length', `${put('a')}Content-Length: 0x2\r\n\r\n{}`],
  ['a length with a space in it', `${put('a')}Content-Length: 1 0\r\n\r\n{}`],
  ['no length in its header', `${put('a')}Content-Length: \r\n\r\n`],
  ['an unknown coding', `${put('a')}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
  [
    'a coding below the chunks',
    `${put('a')}Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  ],
  ['a coding above the chunks', `${put('a')}${chunked.trimEnd()}, identity\r\n\r\n0\r\n\r\n`],
  [
    'two codings',
    `${put('a')}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n`,
  ],
  ['a coding in quotes', `${put('a')}Transfer-Encoding: "chunked"\r\n\r\n0\r\n\r\n`],
  ['a coding behind a vertical tab', `${put('a')}Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n`],
  ['a space before a colon', `${put('a')}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`],
  ['a length in a continued line', `${put('a')}X: y\r\n Content-Length: 2\r\n\r\n{}`],
  ['a first line that continues', `PUT /api/v1/packages/a HTTP/1.1\r\n ${head}\r\n`],
  ['lines without CR', whole('a').replaceAll('\r\n', '\n')],
  ['one line without CR', `${put('a')}X: y\nContent-Length: 2\r\n\r\n{}`],
  ['a last line without CR', `${put('a')}Content-Length: 2\r\n\n{}`],
  ['chunks in HTTP/1.0', `${put('a').replace('1.1', '1.0')}${chunked}2\r\n{}\r\n0\r\n\r\n`],
  ['a chunk with a signed size', `${put('a')}${chunked}+2\r\n{}\r\n0\r\n\r\n`],
  ['a chunk with a negative size', `${put('a')}${chunked}-2\r\n{}\r\n0\r\n\r\n`],
  ['a chunk with a prefixed size', `${put('a')}${chunked}0x2\r\n{}\r\n0\r\n\r\n`],
  ['a chunk of 72 bits', `${put('a')}${chunked}ffffffffffffffffff\r\n{}\r\n0\r\n\r\n`],
  ['a chunk longer than its size', `${put('a')}${chunked}2\r\n{}xx\r\n0\r\n\r\n`],
  ['a chunk that ends without CR', `${put('a')}${chunked}2\r\n{}\n0\r\n\r\n`],
  ['an extension with a bare LF', `${put('a')}${chunked}2;\n{}\r\n0\r\n\r\n`],
  ['an extension with a bare CR', `${put('a')}${chunked}2;a\rb\r\n{}\r\n0\r\n\r\n`],
  [
    'an extension of 20,000 bytes',
    `${put('a')}${chunked}2;${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
  ],
  ['a length in a trailer', `${put('a')}${chunked}2\r\n{}\r\n0\r\nContent-Length: 5\r\n\r\n`],
  ['two Hosts', `${put('a')}Host: other.test\r\nContent-Length: 2\r\n\r\n{}`],
  ['no Host', whole('a').replace('Host: panel.test\r\n', '')],
]

t.test('where a request ends is beyond doubt, or nothing is done', async t => {
  const answers = await Promise.all(unclear.map(([, text]) => send(text + hidden)))
  for (const [index, [title]] of unclear.entries()) {
    const answer = answers[index]!
    isRefusal(t, title, answer, { status: 400, error: /not valid HTTP|Host|Transfer-Encoding/ })
    t.match(answer.headers.get('connection'), 'close', title)
  }
  t.strictSame(await packages(), [])
})

const closing = 'Connection: close\r\n'

const clear: [title: string, text: string][] = [
  [
    'chunks in upper case',
    `${put('a')}${closing}Transfer-Encoding: CHUNKED\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  ],
  ['a chunk extension', `${put('a')}${closing}${chunked}2;x="y;z"\r\n{}\r\n0\r\nX: y\r\n\r\n`],
  ['empty lines before it', `\r\n\r\n${whole('a').replace('Host', `${closing}Host`)}`],
  ['HTTP/1.0', whole('a').replace('1.1', '1.0')],
  ['HTTP/1.0 without a Host', whole('a').replace('1.1', '1.0').replace('Host', 'X')],
  [
    'a target with a scheme',
    whole('a').replace('/api', 'http://x:1/api').replace('Host', `${closing}Host`),
  ],
]

t.test('unusual but clear requests are answered', async t => {
  for (const [title, text] of clear) {
    t.equal((await send(text)).status, 201, title)
    t.strictSame(await packages(), ['a'], title)
  }
})

// All answers until the connection ends.
const statuses = (text: string) =>
  [...text.matchAll(/HTTP\/1\.1 ([0-9]{3})/g)].map(([, status]) => Number(status))

async function statusesOf(text: string): Promise<number[]> {
  const first = await send(text)
  return [first.status, ...statuses(first.text)]
}

const get = (name: string, extra = '') =>
  `GET /api/v1/packages/${name} HTTP/1.1\r\n${head}${extra}\r\n`

t.test('requests sent ahead are done one after the other', async t => {
  const text = `${whole('a')}${get('a')}DELETE /api/v1/packages/a HTTP/1.1\r\n${head}\r\n`
  t.strictSame(await statusesOf(text + get('a', closing)), [201, 200, 200, 404])
})

t.test('bytes after a request that closes the connection are not handled', async t => {
  const last = whole('a').replace('Host', `${closing}Host`)
  t.strictSame(await statusesOf(last + hidden), [201])
  t.strictSame(await packages(), ['a'])
})

t.test('bytes after a request that is not read to its end are not handled', async t => {
  const { token: fresh } = await createToken(pool, { owner: 'admin', name: 'fresh' })
  const text = `PUT /nowhere HTTP/1.1\r\n${head}Content-Length: 2\r\n\r\n{}`
  t.strictSame(await statusesOf(text + hidden.replace(token, fresh)), [404])
  t.strictSame(await packages(), [])
  const next = await call('GET', '/api/v1/packages', { token: fresh })
  t.equal(next.headers.get('ratelimit-remaining'), '1199', 'not even its token was looked at')
})

t.test('bytes that are no HTTP do not replace an answer that is due', async t => {
  t.strictSame(await statusesOf(`${whole('a')}${get('a')}nonsense\r\n\r\n`), [201, 200, 400])
  t.strictSame(await statusesOf(`${whole('a')}more${hidden}`), [200, 400])
  t.strictSame(await packages(), ['a'])
})

t.test('an Upgrade is not followed, and nothing comes after it', async t => {
  const upgrade = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n'
  const text = `${put('a')}${upgrade}Content-Length: 2\r\n\r\n{}`
  const answer = await send(text)
  t.equal(answer.status, 201)
  // Otherwise Node would leave what is not HTTP without an answer until its time limit.
  t.equal(answer.headers.get('connection'), 'close')
  t.strictSame(await statusesOf(`${text}PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`), [200])
  t.strictSame(await packages(), ['a'])
})

t.test('the first 32 pipelined requests are answered, and then the connection ends', async t => {
  for (const sent of [40, 200]) {
    const answers = await send(get('a').repeat(sent) + hidden)
    t.strictSame([answers.status, ...statuses(answers.text)], Array(32).fill(404), `${sent}`)
    t.match(answers.text.split('HTTP/1.1 ').at(-1), /^Connection: close\r$/m)
  }
  t.strictSame(await packages(), [])
})

t.test('a connection with far too much sent ahead ends at once', async t => {
  const answered = await statusesOf(get('a').repeat(2_000)).catch(() => [])
  t.ok(answered.length < 33)
  t.equal((await fetch(`${baseUrl}/healthz`)).status, 200)
})

const large: [title: string, text: string][] = [
  ['headers of 1 MiB', `${put('a')}${'X-Filler: some text\r\n'.repeat(52_000)}\r\n`],
  ['a header of 100 KiB', `${put('a')}X: ${'x'.repeat(102_400)}\r\n\r\n`],
  ['3,000 headers', `${put('a')}${'a:\r\n'.repeat(3_000)}Content-Length: 2\r\n\r\n{}`],
  ['trailers of 20,000 bytes', `${put('a')}${chunked}0\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
]

t.test('too large or too many headers are 431, however they come', async t => {
  for (const [title, text] of large) {
    isRefusal(t, title, await send(text + hidden), { status: 431, error: /16 KiB/ })
  }
  t.strictSame(await packages(), [])
})
