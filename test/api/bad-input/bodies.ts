import type { Test } from 'tap'
import {
  bob,
  createAccount,
  jsonType,
  putPackage,
  starter,
  suspend,
  unsuspend,
  type Header,
  type Refusal,
  type Refusals,
  type Refused,
  type Sent,
} from '../../support/api/refusals.ts'

export default async function test(t: Test, { refuse, send }: Refusals): Promise<void> {
  const everyCall = [putPackage, createAccount, suspend, unsuspend]
  const kilobyte = 1_024

  // Alternates the calls, because all of them read bodies by the same code.
  const inTurn = (index: number): Sent => everyCall[index % 4]!

  const refusing = (target: Sent, title: string, body: unknown, refusal: Refusal): Refused => [
    `${target.path}: ${title}`,
    { ...target, body },
    refusal,
  ]

  const noObjects = ['[{}]', '[[]]', '[null]', 'null', 'true', '5', '"text"', '"{}"']

  t.test('a body that is JSON but no object is 400', async t => {
    const refusal = { status: 400, error: /body must be an object/ }
    await refuse(
      t,
      ...everyCall.flatMap(target => noObjects.map(body => refusing(target, body, body, refusal))),
    )
  })

  const noJson: [title: string, body: string | Buffer][] = [
    ['an open brace', '{'],
    ['a closing brace', '}'],
    ['white space only', ' \r\n\t'],
    ['a comma too many', '{"sftp":true,}'],
    ['single quotes', "{'sftp':true}"],
    ['a bare name', '{sftp:true}'],
    ['a comment', '{"sftp":true} // yes'],
    ['something behind it', '{"sftp":true} x'],
    ['two objects', '{}{}'],
    ['a leading zero', '{"max_sites":01}'],
    ['a plus sign', '{"max_sites":+1}'],
    ['a bare fraction', '{"max_sites":.5}'],
    ['a hexadecimal number', '{"max_sites":0x10}'],
    ['a number with separators', '{"max_sites":1_000}'],
    ['NaN', '{"max_sites":NaN}'],
    ['Infinity', '{"max_sites":Infinity}'],
    ['undefined', 'undefined'],
    ['a line break in a string', '{"reason":"a\nb"}'],
    ['a NUL in a string', '{"reason":"a\0b"}'],
    ['NUL bytes', Buffer.alloc(16)],
    ['a broken escape', '{"reason":"\\u12"}'],
    ['a form', 'username=bob&package=starter'],
    ['XML', '<account><username>bob</username></account>'],
  ]

  t.test('a body that is not JSON is 400', async t => {
    const refusal = { status: 400, error: /body is not JSON/ }
    await refuse(
      t,
      ...noJson.map(([title, body], at) => refusing(inTurn(at), title, body, refusal)),
    )
  })

  const inside = (bytes: number[]) =>
    Buffer.concat([Buffer.from('{"reason":"'), Buffer.from(bytes), Buffer.from('"}')])

  const noUtf8: [title: string, body: Buffer][] = [
    ['Latin-1', inside([0x6d, 0xfc])],
    ['a lone continuation byte', inside([0x80])],
    ['a cut sequence', inside([0xe2, 0x82])],
    ['an overlong slash', inside([0xc0, 0xaf])],
    ['an encoded surrogate', inside([0xed, 0xa0, 0x80])],
    ['beyond Unicode', inside([0xf4, 0x90, 0x80, 0x80])],
    ['UTF-16', Buffer.from('\ufeff{"reason":"ü"}', 'utf16le')],
    ['gzip', Buffer.from('1f8b0800000000000003ab56500200a64b1c0d', 'hex')],
  ]

  t.test('a body that is not UTF-8 is 400, whatever charset is named', async t => {
    const refusal = { status: 400, error: /body is not UTF-8/ }
    await refuse(
      t,
      ...noUtf8.map(([title, body], at) => refusing(inTurn(at), title, body, refusal)),
    )
    const headers: Header[] = [['Content-Type', 'application/json; charset=iso-8859-1']]
    await refuse(t, ['named', { ...suspend, headers, body: inside([0x6d, 0xfc]) }, refusal])
  })

  const otherTypes = [
    'text/plain',
    'text/json',
    'json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=application/json',
    'application/xml',
    'application/jsonp',
    'application/merge-patch+json',
    'application/json, text/plain',
    'text/plain; application/json',
  ]

  t.test('a body of another content type is 400', async t => {
    const refusal = { status: 400, error: /Content-Type/, isRecorded: false }
    const cases = otherTypes.flatMap((type): Refused[] => {
      const headers: Header[] = [['Content-Type', type]]
      return [
        [`package as ${type}`, { ...putPackage, headers, body: starter }, refusal],
        [`account as ${type}`, { ...createAccount, headers, body: bob }, refusal],
        [`suspend as ${type}`, { ...suspend, headers, body: { reason: 'x' } }, refusal],
      ]
    })
    await refuse(t, ...cases)
  })

  t.test('two Content-Types are 400, also where both are JSON', async t => {
    const headers: Header[] = [jsonType, ['Content-Type', 'text/plain']]
    const refusal = { status: 400, error: /exactly one Content-Type/, isRecorded: false }
    await refuse(
      t,
      ['another', { ...createAccount, headers, body: bob }, refusal],
      ['the same', { ...createAccount, headers: [jsonType, jsonType], body: bob }, refusal],
    )
  })

  const jsonTypes: Header[][] = [
    [],
    [jsonType],
    [['Content-Type', 'application/json; charset=utf-8']],
    [['Content-Type', 'Application/JSON ;charset="UTF-8"']],
    [['content-type', 'application/json;charset=UTF-8;profile=x']],
  ]

  t.test('no Content-Type is read as JSON, with or without a charset it is JSON', async t => {
    for (const headers of jsonTypes) {
      const put = await send({ ...putPackage, headers, body: starter })
      t.equal(put.status, 200, JSON.stringify(headers))
    }
  })

  t.test('an empty body is empty whatever its content type', async t => {
    const refused: Refused[] = []
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json']) {
      const headers: Header[] = [['Content-Type', type]]
      for (const body of [undefined, '', '{}', '[]']) {
        const title = `${type} ${body}`
        t.equal((await send({ ...putPackage, headers, body })).status, 200, title)
        t.equal((await send({ ...suspend, headers, body })).status, 200, title)
        t.equal((await send({ ...unsuspend, headers, body })).status, 200, title)
        const refusal = { status: 400, error: /username .*password .*email .*package / }
        refused.push([title, { ...createAccount, headers, body }, refusal])
      }
    }
    await refuse(t, ...refused)
  })

  const tooLarge = { status: 413, error: /64 KiB/ }

  t.test('a body of 64 KiB is read, of one byte more it is 413', async t => {
    const whole = JSON.stringify(starter).padEnd(64 * kilobyte)
    t.equal((await send({ ...putPackage, body: whole })).status, 200)
    const lengths = [64 * kilobyte + 1, 65 * kilobyte, 1_024 * kilobyte]
    for (const target of everyCall) {
      await refuse(
        t,
        ...lengths.map(length => refusing(target, `${length}`, '{}'.padEnd(length), tooLarge)),
      )
    }
  })

  t.test('a body without a length is counted as it comes', async t => {
    const chunked = (length: number) => ({
      ...putPackage,
      headers: [jsonType, ['Transfer-Encoding', 'chunked']] as Header[],
      bytes: `${length.toString(16)}\r\n${'{}'.padEnd(length)}\r\n0\r\n\r\n`,
    })
    t.equal((await send(chunked(64 * kilobyte))).status, 200)
    await refuse(t, ['chunked', chunked(65 * kilobyte), tooLarge])
  })

  t.test('a body that is announced as too long is refused before all of it has come', async t => {
    const headers: Header[] = [jsonType, ['Content-Length', `${1_024 * kilobyte}`]]
    const sent = { ...createAccount, headers, bytes: ' '.repeat(65 * kilobyte) }
    await refuse(t, ['cut', sent, tooLarge])
  })

  t.test('a body nested 30,000 deep is 400', async t => {
    const deep = '['.repeat(30_000) + ']'.repeat(30_000)
    const refusal = { status: 400, error: /username must be a string/ }
    const body = JSON.stringify(bob).replace('"bob"', deep)
    await refuse(t, ['deep', { ...createAccount, body }, refusal])
  })
}
