import t from 'tap'
import { email, note, reference } from '../../src/model/grammar/grammar.ts'
import { toMailto } from '../../src/web/suspended.ts'
import { database } from '../support/database.ts'

// The grammars of e-mail addresses and of free text, in code and in the database.

const { pool } = await database(t)

const fits = async (name: string, text: string): Promise<boolean> =>
  (await pool.query(`select panel.${name}($1) as fits`, [text])).rows[0].fits

// The lines of results are no place for what they are about.
const inAscii = (text: string): string => encodeURI(text)

const a = (count: number, letter = 'a') => letter.repeat(count)
function domainOf(octets: number): string {
  const labels = []
  for (let left = octets - '.com'.length; left > 0; left -= 61) labels.push(a(Math.min(left, 60)))
  return `${labels.join('.')}.com`
}

const addresses: Record<'good' | 'bad', string[]> = {
  good: [
    ...['a@b.example', 'A.B@C.Example', "o'neil.b+c-d_e@sub.b-c.example", '1@2.example'],
    // Each character of an atom (RFC 5321, section 4.1.2).
    ...[...`!#$%&'*+/=?^_\`{|}~-`].map(one => `a${one}b@c.example`),
    ...["!#$%&'*+/=?^_`{|}~-@c.example", 'a&b@c.example', 'customer/department=shipping@c.example'],
    // Quoted.
    ...['"a b"@c.example', '"a@b"@c.example', '"a..b."@c.example', '"a\\"b"@c.example'],
    ...[
      '"a\\\\b"@c.example',
      '""@c.example',
      '"<x>"@c.example',
      '"é ü"@c.example',
      '"(a)"@c.example',
    ],
    // Other scripts (RFC 6531).
    ...[
      'müller@b.example',
      'дмитрий@почта.рф',
      '用户@例子.广告',
      'अजय@डाटा.भारत',
      'עמית@דוגמה.co.il',
    ],
    ...[
      'a@bücher.example',
      'a@xn--bcher-kva.example',
      'a@b.рф',
      'a@b.xn--p1ai',
      'a@BÜCHER.example',
    ],
    ...['a@b.co.uk', 'a@b.museum', 'a@1.example', 'a@b.c-d', 'a@b--c.example', '😀@b.example'],
    // ASCII forms of other scripts (RFC 3492).
    ...['a@XN--BCHER-KVA.example', 'a@xn--80akhbyknj4f.com', 'a@xn--fiqs8s.xn--fiqs8s'],
    ...['a@xn--ls8h.la', 'a@xn--bcher-kva.bücher.example', 'a@b.xn--bcher-kva', 'a@axn--b.example'],
    ...['a@xn--ihqwcrb4cv8a8dqg056pqjye.example', 'a@xn--mller-kva.example', 'a@bxn--c.c.example'],
    // Lengths in octets.
    ...[`${a(64)}@b.example`, `${a(32, 'ä')}@b.example`, `"${a(62)}"@b.example`],
    ...[`a@${a(63)}.example`, `${a(64)}@${domainOf(254 - 65)}`, `a@${domainOf(252)}`],
  ],
  bad: [
    ...['', 'a', '@', 'a@', '@b.example', 'a@b', 'a@.example', 'a@b.', 'a@b..example'],
    ...['.a@b.example', 'a.@b.example', 'a..b@c.example', 'a@b.example.', 'a@localhost'],
    ...[
      'a@b@c.example',
      'a@@b.example',
      'a b@c.example',
      ' a@b.example',
      'a@b.example ',
      'a@b .example',
    ],
    ...['a@-b.example', 'a@b-.example', 'a@b.-example', 'a@b.example-', 'a@b_c.example', 'a@b.c'],
    ...['a@1.2.3.4', 'a@b.1', 'a@b.0x7f', 'a@[192.0.2.1]', 'a@[IPv6:2001:db8::1]', 'a@b.exam:25'],
    // Comments, names, routes, lists.
    ...[
      'a(b)@c.example',
      'a@b.example (c)',
      '<a@b.example>',
      'A <a@b.example>',
      '@a.example:b@c.example',
    ],
    ...[
      'a@b.example,c@d.example',
      'a@b.example;c@d.example',
      'mailto:a@b.example',
      'a\\b@c.example',
    ],
    ...['"a"b@c.example', 'a"b@c.example', '"a@c.example', 'a"@c.example', '"a"."b"@c.example'],
    ...['"a"b"@c.example', '"a\\"@c.example', '"a\nb"@c.example', '"a\tb"@c.example'],
    // Control characters, and characters that are invisible or look alike.
    ...[
      'a@b.example\n',
      '\na@b.example',
      'a\r\nBcc: c@d.example',
      'a\tb@c.example',
      'a\x7f@b.example',
    ],
    ...[
      'a\x85@b.example',
      'a\xa0b@c.example',
      'a\u3000b@c.example',
      'a\u2003@b.example',
      '"a\xa0"@b.example',
    ],
    ...[
      'a\u200b@b.example',
      'a\u200d@b.example',
      'a\u202eb@c.example',
      'a\u2066@b.example',
      '\ufeffa@b.example',
    ],
    ...[
      'a\u2028@b.example',
      'a\xad@b.example',
      'a\u3164@b.example',
      'a\ufe0f@b.example',
      '"a\u202e"@b.example',
    ],
    ...['a\u{e0041}@b.example', 'a@b\u200b.example', 'a@b\u202e.example', 'a@b\xadc.example'],
    ...[
      'a@b。example',
      'a@b．example',
      'a@bücher｡example',
      'a@b.example\u3002',
      'a@b.1\u3002example',
    ],
    // No ASCII form of anything: cut off, of ASCII alone, beyond Unicode, of hidden ones.
    ...['a@xn--a.com', 'a@xn--a.xn--b', 'a@xn--zz.example', 'a@b.xn--a', 'a@XN--A.com'],
    ...['a@xn--abc.com', 'a@xn--0.com', 'a@xn--.com', 'a@xn--a-.com', 'a@xn--kva-.com'],
    ...[
      'a@xn--99999999.com',
      'a@xn--55555577.com',
      `a@xn--${a(59, '9')}.com`,
      'a@xn--b.bücher.com',
    ],
    ...['a@xn--a-kgd1b.xn--a.com', 'a@xn--ab-m1t.com', 'a@xn----7sb.com'],
    // Lengths in octets.
    ...[`${a(65)}@b.example`, `${a(33, 'ä')}@b.example`, `"${a(63)}"@b.example`],
    ...[`a@${a(64)}.example`, `a@${domainOf(253)}`, `${a(64)}@${domainOf(254 - 64)}`, a(100_000)],
    ...[`${a(90_000, 'a.')}@b.example`, `a@${a(90_000, 'b.')}example`, `a@${a(90_000, '-')}`],
  ],
}

// The database leaves to the code: domains that have no ASCII form.
const badInCode = ['a@xn--zz-.example', `a@${a(63, 'ü')}.example`, 'a@ü\u0301\u0489☃︎︎.example']

t.test('e-mail addresses', async t => {
  for (const [kind, texts] of Object.entries(addresses)) {
    for (const text of texts) {
      const title = `${kind}: ${inAscii(text.slice(0, 80))}`
      t.equal(email.safeParse(text).success, kind === 'good', title)
      t.equal(await fits('is_email', text), kind === 'good', `${title}, in the database`)
    }
  }
  for (const text of badInCode) t.notOk(email.safeParse(text).success, inAscii(text))
  for (const text of ['\0@b.example', 'a\ud800@b.example', 7, null, undefined, ['a@b.example']]) {
    t.notOk(email.safeParse(text).success)
  }
  t.match(email.safeParse('').error?.issues, [{ message: 'is not an e-mail address' }])
})

t.test('an address is a link to itself and to nothing else', t => {
  t.equal(toMailto('a@b.example'), 'mailto:a@b.example')
  t.equal(toMailto('a?cc=x&b%40#@b.example'), 'mailto:a%3Fcc%3Dx%26b%2540%23@b.example')
  t.equal(toMailto('"a@b"@c.example'), 'mailto:%22a%40b%22@c.example')
  t.equal(toMailto('ü@bücher.example'), 'mailto:%C3%BC@b%C3%BCcher.example')
  t.end()
})

const texts: Record<'good' | 'bad', string[]> = {
  good: [
    ...['late payment', 'Zahlung überfällig', 'просрочено', '未払い', 'می‌خواهم', 'क्‍ष', 'a\xa0b'],
    ...['👨‍👩‍👧', '❤️', '🏳️‍🌈', 'עברית', 'العربية', 'a\u0301', '"; drop', '<b>', '#1'],
  ],
  bad: [
    ...['a\nb', 'a\rb', 'a\tb', 'a\x1b[2J', 'a\x7f', 'a\x85b', 'a\x9bm', 'a\u200bb', '\u200b'],
    ...[
      'a\u202eb',
      'a\u2066b',
      'a\u200eb',
      'a\u2028b',
      'a\u2029b',
      '\ufeffa',
      'a\u00adb',
      'a\u2060b',
    ],
    ...['a\u034fb', 'a\u115fb', '\u3164', 'a\uffa0', 'a\ufffbb', 'a\u{e0041}', 'a\u{e0100}'],
    // Joiners that join nothing.
    ...[
      'a\u200db',
      '\u200da',
      'ü\u200c',
      '7\ufe0f',
      'ü\u200d\u200dü',
      ' \u200cü',
      '\xa0\u200d\xa0',
    ],
  ],
}

t.test('free text', async t => {
  for (const [kind, all] of Object.entries(texts)) {
    for (const text of all) {
      const title = `${kind}: ${inAscii(text)}`
      t.equal(note.safeParse(text).success, kind === 'good', title)
      t.equal(reference.safeParse(text).success, kind === 'good', title)
      t.equal(await fits('is_reference', text), kind === 'good', `${title}, in the database`)
    }
  }
})

t.test('each character is the same to code and database', async t => {
  // Everything up to the scripts of East Asia, and where there are others that show nothing.
  const parts = [
    ...[
      [1, 0x3200],
      [0xf8f0, 0xffff],
      [0x1bc90, 0x1bcb0],
      [0x1d160, 0x1d180],
      [0xdfff0, 0xe1010],
    ],
  ]
  for (const [from, to] of parts) {
    // After a letter that takes joiners, and before one.
    const { rows } = await pool.query<{ code: number; hidden: boolean; isEmail: boolean }>(
      `select code, panel.has_hidden('ü' || chr(code) || 'ü') as hidden,
         panel.is_email('ü' || chr(code) || 'ü@b.example') as "isEmail"
       from generate_series($1::int, $2::int) as code`,
      [from, to],
    )
    const other = rows.filter(({ code, hidden, isEmail }) => {
      const text = `ü${String.fromCodePoint(code)}ü`
      return (
        note.safeParse(text).success === hidden ||
        email.safeParse(`${text}@b.example`).success !== isEmail
      )
    })
    t.strictSame(other, [], `from ${from}`)
  }
})
