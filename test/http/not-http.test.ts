import t from 'tap'
import { exchange } from '../support/api/exchange.ts'
import { isRefusal } from '../support/api/refusals.ts'
import { openPanel } from '../support/panel.ts'

const { baseUrl, pool, token } = await openPanel(t, { hasWorker: false })

const end = '\r\n\r\n'
const host = '\r\nHost: panel.test\r\nConnection: close'
const put = `PUT /api/v1/packages/starter HTTP/1.1${host}\r\nAuthorization: Bearer ${token}`

const notHttp: [title: string, text: string][] = [
  ['words', `hello there${end}`],
  ['one line', 'hello\r\n'],
  ['NUL bytes', '\0'.repeat(64)],
  ['the hello of TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ['SSH', 'SSH-2.0-OpenSSH_9.6\r\n'],
  ['HTTP/2 at once', `PRI * HTTP/2.0${end}SM${end}`],
  ['HTTP/9.9', `GET / HTTP/9.9${host}${end}`],
  ['an unknown method', `STEAL / HTTP/1.1${host}${end}`],
  ['a method in lower case', `get / HTTP/1.1${host}${end}`],
  ['a space in the path', `GET /a b HTTP/1.1${host}${end}`],
  ['a NUL in the path', `GET /a\0b HTTP/1.1${host}${end}`],
  ['a header without a colon', `GET / HTTP/1.1${host}\r\nnonsense${end}`],
  ['a space in the name of a header', `GET / HTTP/1.1${host}\r\nX Y: z${end}`],
  ['a NUL in a header', `GET / HTTP/1.1${host}\r\nX-Y: a\0b${end}`],
  ['a bare CR in a header', `GET / HTTP/1.1${host}\r\nX-Y: a\rZ: b${end}`],
  ['a line that continues a header', `GET / HTTP/1.1${host}\r\nX-Y: a\r\n b${end}`],
  ['a length that is no number', `${put}\r\nContent-Length: x${end}{}`],
  ['a negative length', `${put}\r\nContent-Length: -1${end}{}`],
  ['a length beyond 64 bits', `${put}\r\nContent-Length: 99999999999999999999${end}{}`],
  ['two lengths', `${put}\r\nContent-Length: 2\r\nContent-Length: 3${end}{}x`],
  ['a length and chunks', `${put}\r\nContent-Length: 2\r\nTransfer-Encoding: chunked${end}{}`],
  ['chunks of chunks', `${put}\r\nTransfer-Encoding: chunked, gzip${end}2\r\n{}\r\n0${end}`],
  ['a chunk whose length is none', `${put}\r\nTransfer-Encoding: chunked${end}zz\r\n{}\r\n0${end}`],
]

t.test('bytes that are no HTTP are 400, as JSON, and end their connection', async t => {
  for (const [title, text] of notHttp) {
    const answer = await exchange(baseUrl, Buffer.from(text, 'latin1'))
    isRefusal(t, title, answer, { status: 400, error: /not valid HTTP/ })
    t.equal(answer.headers.get('connection'), 'close', title)
  }
})

t.test('a missing Host, and an unsupported Expect, are answered as JSON', async t => {
  const noHost = `GET /api/v1/packages HTTP/1.1\r\nConnection: close${end}`
  const answer = await exchange(baseUrl, Buffer.from(noHost))
  isRefusal(t, 'no Host', answer, { status: answer.status, error: /Host|API token/ })
  const expecting = `${put}\r\nExpect: miracles\r\nContent-Length: 2${end}{}`
  isRefusal(t, 'Expect', await exchange(baseUrl, Buffer.from(expecting)), {
    status: 417,
    error: /Expect/,
  })
})

t.test('CONNECT is refused like anything else', async t => {
  const bytes = Buffer.from(`CONNECT other.example:443 HTTP/1.1${host}${end}`)
  const answer = await exchange(baseUrl, bytes)
  isRefusal(t, 'CONNECT', answer, { status: 405, error: /CONNECT/ })
  // A 405 without it is no valid one (RFC 9110, section 15.5.6).
  t.match(answer.headers.get('allow'), /^[A-Z]+(, [A-Z]+)+$/)
  t.notMatch(answer.headers.get('allow'), 'CONNECT')
})

const tooLarge: [title: string, text: string][] = [
  ['one header', `GET / HTTP/1.1${host}\r\nX-Y: ${'x'.repeat(20_000)}${end}`],
  ['many headers', `GET / HTTP/1.1${host}${'\r\nX-Y: some text'.repeat(1_500)}${end}`],
  ['the path', `GET /${'x'.repeat(20_000)} HTTP/1.1${host}${end}`],
  ['the token', `GET / HTTP/1.1${host}\r\nAuthorization: Bearer ${'x'.repeat(20_000)}${end}`],
]

t.test('headers over 16 KiB are 431, as JSON', async t => {
  for (const [title, text] of tooLarge) {
    const answer = await exchange(baseUrl, Buffer.from(text))
    isRefusal(t, title, answer, { status: 431, error: /16 KiB/ })
  }
})

t.test('a request that ends before its body does leaves nothing', async t => {
  const cut = `${put}\r\nIdempotency-Key: cut\r\nContent-Length: 100${end}{"sftp":`
  const answer = await exchange(baseUrl, Buffer.from(cut), 'end')
  isRefusal(t, 'cut', answer, { status: 400, error: /not valid HTTP/ })
})

t.test('none of it has written a row, and the server goes on answering', async t => {
  const { rows } = await pool.query(
    `select (select count(*)::int from panel.operations) as operations,
       (select count(*)::int from panel.packages) as packages,
       (select count(*)::int from worker_queue._private_jobs) as jobs`,
  )
  t.strictSame(rows, [{ operations: 0, packages: 0, jobs: 0 }])
  t.equal((await fetch(`${baseUrl}/healthz`)).status, 200)
})
