import type { Test } from 'tap'
import { bob, createAccount, spoilt, type Refusals } from '../../support/api/refusals.ts'

export default async function test(t: Test, { refuse, send }: Refusals): Promise<void> {
  const accepted = [
    'ab',
    'a1',
    'a-b_c-9',
    'a__b',
    'b'.repeat(32),
    'rooty',
    'constructor',
    'www-data2',
  ]

  t.test('a username of 2 to 32 letters, digits, _ and - is accepted', async t => {
    for (const username of accepted) {
      const created = await send({ ...createAccount, body: { ...bob, username, domain: null } })
      t.equal(created.status, 201, username)
      t.equal(created.headers.get('location'), `/api/v1/accounts/${username}`)
    }
  })

  const outsideGrammar = [
    'b',
    '1',
    '_',
    '-',
    'b'.repeat(33),
    'bob-',
    'bob_',
    '-bob',
    '_bob',
    '1bob',
    '1001',
    'Bob',
    'BOB',
    'boB',
    'bob.smith',
    'bob smith',
    'bob@example.com',
    'bob$',
    'bob+',
    'bob,',
    'bob:x',
    'bob/x',
    '.bob',
    '..',
    'böb',
    'ｂob',
    'b\u043eb',
    'bob\u0301',
  ]

  t.test('a username outside the grammar is 400', async t => {
    await refuse(
      t,
      ...outsideGrammar.map(name => spoilt('username', name, /^username must .*2 to 32/)),
    )
  })

  const reserved = [
    'root',
    'daemon',
    'bin',
    'nobody',
    'www-data',
    'mail',
    'postgres',
    'mysql',
    'nginx',
    'sshd',
    'sudo',
    'admin',
    'administrator',
    'postmaster',
    'systemd-network',
    'panel',
    'panel-worker',
    'localhost',
  ]

  t.test('a reserved name is 400', async t => {
    await refuse(t, ...reserved.map(name => spoilt('username', name, /^username.*reserved/)))
  })

  t.test('a name that is taken is 400, never 409', async t => {
    await refuse(t, spoilt('username', 'alice', /^username:? alice is taken$/))
  })
}
