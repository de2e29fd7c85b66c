import { domainToASCII } from 'node:url'
import type { Test } from 'tap'
import { bob, createAccount, spoilt, type Refusals } from '../../support/api/refusals.ts'

export default async function test(t: Test, { panel, refuse, send }: Refusals): Promise<void> {
  const fields = ['username', 'email', 'package', 'domain'] as const

  const injections = [
    '$(reboot)',
    '`reboot`',
    '; reboot',
    '| sh',
    '\\',
    "' or 1=1 --",
    "'; drop table panel.accounts; --",
    '; } server { listen 81; }',
    '{',
    '#',
    ':x:0:0::/root:/bin/sh',
    '/../../etc/passwd',
    '%00',
    '%s%n',
    '{{7*7}}',
    '${7*7}',
    '<script>alert(1)</script>',
    '*',
    // These look like ASCII letters, or become some when they are folded.
    '\u0430',
    '\u017f',
    '\u212a',
    '\u0130',
    // Invisible, or changing the direction of what follows.
    '\u200b',
    '\u202e',
    '\u2028',
  ]

  const hasAscii = (text: string) => /[^\0-\x7f]/.test(text) && domainToASCII(`a${text}`) !== ''

  t.test('a value that a shell, SQL, nginx, a path or a template would read is 400', async t => {
    for (const field of fields) {
      // A host name in Unicode has an ASCII form (domains.ts).
      const texts = injections.filter(text => field !== 'domain' || !hasAscii(text))
      await refuse(t, ...texts.map(text => spoilt(field, `${bob[field]}${text}`)))
    }
  })

  const alone = ['-rf', '--help', '-', '.', '..', '/', '/etc/passwd', '*', '@']

  t.test('a value that a program would read as an option or as a folder is 400', async t => {
    for (const field of fields) await refuse(t, ...alone.map(value => spoilt(field, value)))
  })

  const noEmails = [
    'bob',
    'bob@',
    '@example.com',
    'bob@localhost',
    'bob@@example.com',
    'bob@a@example.com',
    'bob@example..com',
    'bob@.example.com',
    'bob@-example.com',
    'bob@example.com.',
    '.bob@example.com',
    'bob.@example.com',
    'b..b@example.com',
    'bob@127.0.0.1',
    'bob@[127.0.0.1]',
    'Bob <bob@example.com>',
    'bob@example.com, eve@example.com',
    'bob@example.com\nBcc: eve@example.com',
    'mailto:bob@example.com',
    'bob@exa mple.com',
  ]

  t.test('an invalid e-mail address is 400', async t => {
    await refuse(t, ...noEmails.map(email => spoilt('email', email)))
  })

  t.test('a password may hold what other fields may not', async t => {
    const password = injections
      .filter(text => text.length < 12)
      .join('')
      .slice(0, 128)
    const body = { ...bob, username: 'quoted', domain: null, password }
    t.equal((await send({ ...createAccount, body })).status, 201)
    const { rows } = await panel.pool.query(
      `select password_hash from panel.accounts where username = 'quoted'`,
    )
    t.match(rows[0].password_hash, /^\$(6|y)\$[./0-9A-Za-z$=]+$/)
  })
}
