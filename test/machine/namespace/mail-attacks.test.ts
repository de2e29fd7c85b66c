import { existsSync, readFileSync } from 'node:fs'
import t from 'tap'
import { until } from '../../support/until.ts'
import { asUser } from '../machine.ts'
import { openMail, simple } from '../mail.ts'

// Attacks of an account with mail: other senders, hidden recipients, options, floods.

const { uid, bobUid, mailed, refused, handIn, plain, counted, put, setPlain } = await openMail(t)
await setPlain()

t.test('only addresses at domains of the account are senders', async t => {
  for (const [given = '', shown, replies] of [
    ['shop@alice.example', 'shop@alice.example'],
    ['"Alice\'s shop" <shop@www.alice.example>', '"Alice\'s shop" <shop@www.alice.example>'],
    ['Visitor <v@gmail.com>', 'Visitor <alice@mail.example.net>', 'v@gmail.com'],
    ['ceo@bob.example', 'alice@mail.example.net', 'ceo@bob.example'],
    ['bob@mail.example.net', 'alice@mail.example.net', 'bob@mail.example.net'],
    ['x@alice.example.evil.org', 'alice@mail.example.net', 'x@alice.example.evil.org'],
    ['"ceo@bob.example" <a@alice.example>', 'a@alice.example'],
    ['a@alice.example, ceo@bob.example', 'a@alice.example'],
    ['ceo@bob.example <a@alice.example>', 'a@alice.example'],
    ['(a@alice.example) ceo@bob.example', 'alice@mail.example.net', 'ceo@bob.example'],
    ['"a@alice.example', 'alice@mail.example.net'],
  ]) {
    const text = `From: ${given}\nTo: joe@example.org\nSubject: x\n\nx\n`
    t.equal((await handIn(text)).code, 0, given)
    const sent = plain.received.at(-1)!
    t.equal(sent.from, 'alice@mail.example.net')
    const froms = sent.text.match(/^From:.*$/gim)
    t.strictSame(froms, [`From: ${shown}`], given)
    t.equal(/^Reply-To: (.*)$/im.exec(sent.text)?.[1], replies, given)
  }
  const twice = 'From: a@alice.example\nSender: ceo@bob.example\nFrom: ceo@bob.example\n'
  const more = 'Return-Path: <x@y.example>\nResent-From: ceo@bob.example\n'
  t.equal((await handIn(`${twice}${more}To: joe@example.org\n\nx`)).code, 0)
  t.notMatch(plain.received.at(-1)!.text, /bob\.example|Return-Path|Sender:/)
})

t.test('no argument reaches a program', async t => {
  const file = '/home/alice/files/written'
  for (const more of [
    '-X/home/alice/files/written',
    '-O QueueDirectory=/tmp -X /home/alice/files/written',
    '-f root@bob.example',
    '-C/etc/shadow',
    '--file=/home/alice/files/conf --passwordeval=id',
    '-be ${run{/usr/bin/touch /home/alice/files/written}}',
    'extra@example.org',
    '-bs',
  ]) {
    t.ok(await mailed([...simple, '', more]), more)
    const { from, to } = plain.received.at(-1)!
    t.strictSame([from, to], ['alice@mail.example.net', ['joe@example.org']], more)
  }
  t.notOk(existsSync(file))
})

t.test('recipients that are options, quoted, or not addresses are refused', async t => {
  const before = counted()
  for (const recipient of [
    '--passwordeval=id',
    '"-X/tmp/x"@example.org',
    'root',
    'a@b',
    'joe@example.org@example.org',
    'a b@example.org',
    '<joe@example.org> <eve@example.org>',
    'joe@[127.0.0.1]',
    'jöe@example.org',
    'joe@example.org`id`',
    '|/bin/sh@example.org;rm',
    `${'a'.repeat(65)}@example.org`,
    '(open joe@example.org',
    '"open joe@example.org',
    '',
    ',;:',
  ]) {
    const { code, stderr } = await handIn(`To: ${recipient}\n\nx\n`)
    t.equal(code, 69, recipient)
    t.match(stderr, /^mail\(\): [ -~]+\n$/, recipient)
  }
  t.equal(counted(), before)
  // A dash that begins a valid address is no option.
  t.equal((await handIn('To: -oQ/tmp@example.org, --x@example.org\n\nx\n')).code, 0)
  t.strictSame(plain.received.at(-1)?.to, ['-oQ/tmp@example.org', '--x@example.org'])
})

t.test('nothing in a message ends it early or begins another', async t => {
  const text =
    'To: joe@example.org\nX-Odd: a\r\r\n b\n\nfirst\r\n.\r\nMAIL FROM:<x@y.z>\n' +
    '.\nsecond\r.\rthird\0\n..\n'
  const before = counted()
  t.equal((await handIn(text)).code, 0)
  t.equal(counted(), before + 1)
  const sent = plain.received.at(-1)!.text
  t.match(sent, /first\n\.\nMAIL FROM:<x@y\.z>\n\.\nsecond\.third\n\.\./)
  for (const bad of [
    'no header\nTo: joe@example.org\n\nx',
    '\nTo: joe@example.org\n\nx',
    '',
    '\n',
  ]) {
    t.equal((await handIn(bad)).code, 69, JSON.stringify(bad))
  }
  t.equal(counted(), before + 1)
})

t.test('size and number of recipients are bounded', async t => {
  const many = (count: number) =>
    `To: ${Array.from({ length: count }, (_, n) => `u${n}@example.org`).join(',\n ')}\n\nx`
  t.match(await handIn(many(101)), { code: 69, stderr: /more than 100 recipients/ })
  const large = `To: joe@example.org\n\n${`${'x'.repeat(99)}\n`.repeat(262_144)}`
  t.match(await handIn(large), { code: 69, stderr: /larger than 25 MB/ })
  const headers = `To: joe@example.org\n${`X-A: ${'x'.repeat(90)}\n`.repeat(1_500)}\nx`
  t.match(await handIn(headers), { code: 69, stderr: /headers of the message are too long/ })
  const fits = `To: joe@example.org\n\n${`${'x'.repeat(99)}\n`.repeat(100_000)}`
  t.equal((await handIn(fits)).code, 0)
  t.equal(plain.received.at(-1)?.text.length, fits.length + headersAdded())
})

const headersAdded = (): number => {
  const [head = ''] = plain.received.at(-1)!.text.split('\n\n')
  return head.length - 'To: joe@example.org'.length - 1
}

t.test('an account reaches its own limit, and not another one’s', async t => {
  await put({ memory_mb: 128, max_sites: 3, mails_per_hour: 3 })
  await until(() => /limit 3\n/.test(readFileSync(`/etc/panel/mail/accounts/${bobUid}`, 'utf8')))
  t.ok(await mailed(simple, 'bob'))
  t.match(
    await refused([...simple, 'Cc: a@example.org, b@example.org'], 'bob'),
    /limit of 3 recipients an hour/,
  )
  t.ok(await mailed([...simple, 'Cc: a@example.org'], 'bob'))
  const before = counted()
  t.match(await refused(simple, 'bob'), /limit of 3 recipients an hour/)
  t.equal(counted(), before)
  const state = '/var/lib/panel-submit'
  for (const path of [state, `${state}/${bobUid}`, '/etc/panel/mail/accounts']) {
    for (const command of [
      ['cat', path],
      ['ls', path],
      ['rm', '-rf', path],
      ['touch', path],
    ]) {
      const { code } = await asUser(bobUid, command)
      t.not(code, 0, `${command.join(' ')}`)
    }
  }
  t.match(await refused(simple, 'bob'), /limit of 3 recipients an hour/)
  await put({ memory_mb: 128, max_sites: 3, mails_per_hour: 1000 })
  await until(() => /limit 1000\n/.test(readFileSync(`/etc/panel/mail/accounts/${uid}`, 'utf8')))
  t.ok(await mailed(simple))
})

t.test('users of the machine that are no accounts send nothing', async t => {
  t.match(await handIn('To: joe@example.org\n\nx', 65_534), {
    code: 69,
    stderr: /This user cannot send mail/,
  })
})

t.test('an account with many slow connections does not keep another one from sending', async t => {
  const hanging = Array.from({ length: 30 }, () =>
    asUser(uid, ['timeout', '8', 'sh', '-c', 'sleep 9 | perl /etc/panel/mail/sendmail']),
  )
  await until(async () => (await asUser(uid, ['pgrep', '-fc', 'mail/sendmail'])).stdout > '20')
  t.ok(await mailed(simple, 'bob'))
  await Promise.all(hanging)
  t.ok(await until(() => mailed(simple), 15_000))
})
