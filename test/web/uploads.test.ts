import { EventEmitter, once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { type ClientRequest, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { isForeign, noDump as notDump } from '../../src/model/databases/dumps.ts'
import { receiveFile } from '../../src/web/uploads.ts'

// Forms as browsers send them and as no browser should, to a real server that puts their file
// aside.

const mebibyte = 2 ** 20
const limitMb = 1

const file = (content: string | Buffer, disposition = 'name="dump"; filename="a.sql"') =>
  part(`Content-Disposition: form-data; ${disposition}\r\nContent-Type: text/plain\r\n`, content)

const part = (headers: string, content: string | Buffer): Buffer =>
  Buffer.concat([Buffer.from(`--xyz\r\n${headers}\r\n`), Buffer.from(content), Buffer.from('\r\n')])

const field = (content: string | Buffer) =>
  part('Content-Disposition: form-data; name="a"\r\n', content)

const end = '--xyz--\r\n'

type Case = {
  name: string
  body: (Buffer | string)[]
  type?: string
  /** The file as it was put aside, or why it was not. */
  is: string | Buffer | RegExp
}

const large = Buffer.alloc(mebibyte, 'x')
const notWhole = /^The file did not arrive completely: send it again$/
const noFile = /^Choose a file that is not empty$/
const oneFile = /^Send a single file$/
const tooLarge = /^The file is larger than the account's disk \(1 MB\)$/
const noDump = /^This is not a dump/
const noForm = /^A file is sent as multipart\/form-data$/

const cases: Case[] = [
  { name: 'a file', body: [file('select 1'), end], is: 'select 1' },
  { name: 'a file of one byte', body: [file('x'), end], is: 'x' },
  { name: 'the largest file', body: [file(large), end], is: large },
  {
    name: 'one byte more',
    body: [file(Buffer.concat([large, Buffer.from('x')])), end],
    is: tooLarge,
  },
  {
    name: 'what looks like the boundary, and is not',
    body: [file('a\r\n--xy\r\n-xyz\r\n--xyy--\r\n--'), end],
    is: 'a\r\n--xy\r\n-xyz\r\n--xyy--\r\n--',
  },
  { name: 'a preamble and an epilogue', body: ['hello\r\n', file('b'), end, 'bye'], is: 'b' },
  { name: 'fields around it', body: [field('no'), file('c'), field('no'), end], is: 'c' },
  { name: 'a boundary in quotes', type: '; boundary="xyz"', body: [file('d'), end], is: 'd' },
  {
    name: 'a parameter next to the boundary',
    type: '; charset=utf-8; boundary=xyz',
    body: [file('e'), end],
    is: 'e',
  },
  // Its name is private.
  ...[
    ['../../etc/passwd', 'a path'],
    ['/etc/shadow', 'a path from the root'],
    ['a\\"b\\\\c', 'quotes'],
    ['x'.repeat(3_000), 'a long name'],
    ['ü\u202e\u0000\u0007', 'invisible characters'],
    ['', 'no name'],
  ].map(([name, title]) => ({
    name: `a file with ${title}`,
    body: [file('f', `name="dump"; filename="${name}"`), end],
    is: 'f',
  })),
  {
    name: 'a name by RFC 5987',
    body: [file('g', `name=dump; filename*=UTF-8''..%2F..%2Fx`), end],
    is: 'g',
  },
  { name: 'an empty file', body: [file(''), end], is: noFile },
  { name: 'no part', body: [end], is: noFile },
  { name: 'fields alone', body: [field('a'), field('b'), end], is: noFile },
  { name: 'a part without headers', body: [part('', 'x'), end], is: noFile },
  {
    name: 'a part for another purpose',
    body: [part('Content-Disposition: attachment; filename="a.sql"\r\n', 'x'), end],
    is: noFile,
  },
  { name: 'two files', body: [file('a'), file('b'), end], is: oneFile },
  // Either is true, whichever is seen first.
  {
    name: 'an empty file and another',
    body: [file(''), file('b'), end],
    is: /^(Choose|Send a single)/,
  },
  {
    name: 'many fields',
    body: [...Array.from({ length: 20 }, () => field('a')), end],
    is: oneFile,
  },
  { name: 'nothing', body: [], is: notWhole },
  { name: 'no form', body: ['a=b&c=d'], is: notWhole },
  { name: 'another boundary', type: '; boundary=abc', body: [file('a'), end], is: notWhole },
  { name: 'headers without an end', body: ['--xyz\r\nContent-Disposition: form-da'], is: notWhole },
  { name: 'a file without an end', body: [file('select 1')], is: notWhole },
  { name: 'half a boundary at the end', body: [file('a'), '--xy'], is: notWhole },
  {
    name: 'long headers',
    body: [
      part(`X: ${'x'.repeat(8_192)}\r\nContent-Disposition: form-data; filename=a\r\n`, 'a'),
      end,
    ],
    is: noFile,
  },
  {
    name: 'many headers',
    body: [
      part(`${'X: y\r\n'.repeat(50)}Content-Disposition: form-data; filename=a\r\n`, 'a'),
      end,
    ],
    is: noFile,
  },
  { name: 'endless headers', body: [`--xyz\r\nX: `, large, large], is: tooLarge },
  { name: 'an endless field', body: [field(large), field(large), file('a'), end], is: tooLarge },
  { name: 'an endless preamble', body: [large, large, file('a'), end], is: tooLarge },
  { name: 'an endless epilogue', body: [file('a'), end, large, large], is: tooLarge },
  { name: 'an archive', body: [file('PK\u0003\u0004'), end], is: noDump },
  { name: 'zero bytes at the start', body: [file(Buffer.alloc(600)), end], is: noDump },
  { name: 'a zero byte alone', body: [file('\0'), end], is: noDump },
  { name: 'text', type: 'text/plain', body: ['x'], is: noForm },
  {
    name: 'fields by their other form',
    type: 'application/x-www-form-urlencoded',
    body: ['a=b'],
    is: noForm,
  },
  { name: 'no boundary', type: '', body: [file('a'), end], is: noForm },
  { name: 'an empty boundary', type: '; boundary=', body: [file('a'), end], is: notWhole },
  { name: 'an endless boundary', type: `; boundary=${'x'.repeat(5_000)}`, body: ['x'], is: noForm },
  {
    name: 'a mix of parts',
    type: 'multipart/mixed; boundary=xyz',
    body: [file('a'), end],
    is: noForm,
  },
]

const refuse = (start: Buffer) => (isForeign(start) ? notDump() : undefined)

t.test('forms with a file', async t => {
  const folder = join(t.testdir(), 'in')
  // The outcome of each, which a caller that is still sending may not hear.
  const outcomes = new EventEmitter()
  const server = createServer((message, response) => {
    receiveFile(message, { folder, limitMb, refuse })
      .then(id => outcomes.emit('ended', id))
      .catch(error => outcomes.emit('ended', error))
      .finally(() => response.end())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  t.teardown(() => server.closeAllConnections())
  const { port } = server.address() as AddressInfo
  const left = () => (existsSync(folder) ? readdirSync(folder) : [])

  /** Begins a form; what is refused is not read to its end. */
  function begin(type?: string): ClientRequest {
    const headers = { 'content-type': typeOf(type) }
    const sent = request({ port, method: 'POST', agent: false, headers })
    sent.on('error', () => undefined)
    sent.setNoDelay(true)
    return sent
  }

  for (const { name, body, is, type } of cases) {
    const bytes = Buffer.concat(body.map(toBytes))
    // Small ones also with an end of a chunk at each byte.
    for (const size of bytes.length < 1_000 ? [bytes.length + 1, 7, 1] : [mebibyte, 65_521]) {
      await t.test(`${name}, by ${size}`, async t => {
        const sent = begin(type)
        const ended = once(outcomes, 'ended') as Promise<[string | Error]>
        for (let at = 0; at < bytes.length && !sent.destroyed; at += size) {
          sent.write(bytes.subarray(at, at + size))
          await setImmediate()
        }
        sent.end()
        const [outcome] = await ended
        sent.destroy()
        if (is instanceof RegExp) {
          t.match(outcome, { name: 'PanelError', code: 'invalid', message: is })
          t.strictSame(left(), [])
        } else {
          t.match(outcome, /^[0-9a-f]{32}$/)
          t.strictSame(left(), [outcome])
          t.ok(readFileSync(join(folder, `${outcome}`)).equals(toBytes(is)))
          rmSync(join(folder, `${outcome}`))
        }
      })
    }
  }

  await t.test('an upload that breaks off anywhere leaves nothing and ends nothing', async t => {
    const whole = Buffer.concat([field('a'), file('select 1'), toBytes(end)])
    for (let length = 0; length < whole.length; length += 3) {
      const ended = once(outcomes, 'ended')
      const sent = begin()
      sent.flushHeaders()
      await new Promise(written => sent.write(whole.subarray(0, length), written))
      sent.destroy()
      t.match(await ended, [{ code: 'invalid', message: notWhole }])
      t.strictSame(left(), [])
    }
    const ended = once(outcomes, 'ended')
    const sent = begin()
    sent.end(Buffer.concat([file('after all'), toBytes(end)]))
    t.match(await ended, [/^[0-9a-f]{32}$/])
    sent.destroy()
  })
})

const toBytes = (value: Buffer | string): Buffer => Buffer.from(value as string)

const typeOf = (type = '; boundary=xyz') =>
  type === '' || type.startsWith(';') ? `multipart/form-data${type}` : type
