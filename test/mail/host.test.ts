import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { apply, erase } from '../../src/host/apply.ts'
import { takeSnapshot, listDrift } from '../../src/host/drift.ts'
import { inShort } from '../../src/host/tools/file-drift.ts'
import { makeMailFolders } from '../support/host/mail-folders.ts'
import { alice as plain, sandbox, straight } from '../support/host/sandbox.ts'
import type { HostAccount } from '../../src/model/accounts/host-account.ts'

// An account's mail on a sandbox: look-ups of the mail server, mailboxes, keys.

const hash = `$2b$10$${'a'.repeat(53)}`
const mailbox = (localPart: string, more = {}) => ({
  ...{
    localPart,
    hash,
    quotaMb: 50,
    autoresponder: null,
    filters: [],
    desired: 'present' as const,
  },
  ...more,
})
type Domain = NonNullable<HostAccount['mail']>[number]
const domain: Domain = {
  ...{ domain: 'alice.example', isActive: true, catchAll: null, selector: 'p202611' },
  desired: 'present',
  mailboxes: [mailbox('info'), mailbox('sales')],
  aliases: [{ localPart: 'contact', targets: ['info@alice.example', 'a@elsewhere.example'] }],
}
const alice: HostAccount = { ...plain, mail: [domain] }
const bob: HostAccount = {
  ...{ ...plain, id: '2', uid: plain.uid + 1, username: 'bob', sites: [] },
  mail: [{ ...domain, domain: 'bob.example', aliases: [] }],
}

const open = async (t: Parameters<typeof sandbox>[0]) => {
  const made = await sandbox(t)
  makeMailFolders(made.root)
  const text = (name: string) => {
    const path = join(made.root, 'etc/panel-mail', name)
    return existsSync(path) ? readFileSync(path, 'utf8').replace(/^# Written.*\n/, '') : undefined
  }
  const drift = async (account: HostAccount) =>
    listDrift((await takeSnapshot(made.machine)).driftOf(account)).map(inShort)
  return { ...made, text, drift }
}

t.test('a server without mail has none of it', async t => {
  const { root, machine } = await sandbox(t)
  await apply(machine, alice, straight)
  t.notOk(existsSync(join(root, 'etc/panel-mail')))
  t.notOk(existsSync(join(root, 'home/.panel-mail')))
})

t.test('mailboxes and aliases are in the look-ups, with those of others', async t => {
  const { root, machine, text, drift } = await open(t)
  await apply(machine, bob, straight)
  await apply(machine, alice, straight)
  const { uid } = alice
  const block = (own: string, other: string) =>
    `# account ${uid}\n${own}# account ${bob.uid}\n${other}`
  t.equal(text('domains'), block(`alice.example ${uid}\n`, `bob.example ${bob.uid}\n`))
  t.equal(
    text('mailboxes'),
    block(
      `info@alice.example ${uid}\nsales@alice.example ${uid}\n`,
      `info@bob.example ${bob.uid}\nsales@bob.example ${bob.uid}\n`,
    ),
  )
  t.equal(
    text('aliases'),
    `# account ${uid}\ncontact@alice.example info@alice.example, a@elsewhere.example\n`,
  )
  const limit = alice.limits.mailsPerHour
  t.equal(text('forwards'), `# account ${uid}\ncontact@alice.example ${uid} ${limit} 1\n`)
  t.equal(text('script-domains'), text('domains'))
  t.match(text('senders'), 'contact@alice.example info@alice.example\n')
  t.match(text('senders'), 'sales@bob.example sales@bob.example\n')
  t.match(text('rates'), `info@alice.example ${uid} 100\n`)
  t.match(text('from-domains'), 'info@alice.example info@alice.example,contact@alice.example\n')
  t.match(text('dkim-selectors'), 'alice.example p202611\n')
  const home = `/home/.panel-mail/${uid}/alice.example/info`
  t.equal(
    text('passwd/alice.example')?.split('\n')[0],
    `info@alice.example:{BLF-CRYPT}${hash}:${uid}:${uid}::${home}::` +
      'userdb_quota_storage_size=50M',
  )
  t.equal(statSync(join(root, home)).mode & 0o7777, 0o700)
  t.match(
    readFileSync(join(root, 'var/lib/panel-mail/dkim/alice.example.p202611.key'), 'utf8'),
    'PRIVATE KEY',
  )
  t.strictSame(await drift(alice), [])
  t.strictSame(await drift(bob), [])
})

t.test('a pending domain is in no map, and its mailboxes are ready', async t => {
  const { machine, text } = await open(t)
  await apply(machine, { ...alice, mail: [{ ...domain, isActive: false }] }, straight)
  for (const name of ['domains', 'mailboxes', 'aliases', 'senders', 'rates', 'from-domains']) {
    t.equal(text(name), '', name)
  }
  t.match(text('passwd/alice.example'), 'info@alice.example:')
})

t.test('an address for all unknown ones leaves mailboxes their mail', async t => {
  const { machine, text } = await open(t)
  const all = { ...domain, catchAll: 'info@alice.example' }
  await apply(machine, { ...alice, mail: [all] }, straight)
  t.notMatch(text('aliases'), /^@/m, 'the package allows none')
  const limits = { ...alice.limits, mailCatchAll: true }
  await apply(machine, { ...alice, limits, mail: [all] }, straight)
  t.match(text('aliases'), 'sales@alice.example sales@alice.example\n')
  t.match(text('aliases'), '\n@alice.example info@alice.example\n')
  t.match(text('senders'), '\n@alice.example info@alice.example\n')
  t.match(text('from-domains'), /^info@alice.example .*,alice.example$/m)
})

t.test('a suspended account gets mail, and neither sends nor logs in', async t => {
  const { root, machine, text, drift } = await open(t)
  const autoresponder = { subject: 'Away', message: 'Back "soon"\n.\nA\\B', days: 3 }
  const boxes = [mailbox('info', { autoresponder })]
  const active = { ...alice, mail: [{ ...domain, mailboxes: boxes }] }
  const head = 'vacation :days 3 :subject "Away"'
  const own = ':addresses ["info@alice.example", "contact@alice.example"]'
  const script = join(root, `home/.panel-mail/${alice.uid}/alice.example/info/autoresponder.sieve`)
  await apply(machine, active, straight)
  t.match(readFileSync(script, 'utf8'), [head, own].join(' '))
  t.match(readFileSync(script, 'utf8'), '"Back \\"soon\\"\r\n.\r\nA\\\\B";')
  const suspended = { ...active, desired: 'suspended' as const }
  t.not((await drift(suspended)).length, 0)
  await apply(machine, suspended, straight)
  t.match(text('mailboxes'), 'info@alice.example')
  for (const name of ['senders', 'rates', 'from-domains', 'script-domains'])
    t.equal(text(name), '', name)
  t.match(text('passwd/alice.example'), /:\{BLF-CRYPT\}\$2y\$10\$[.]{53}:/)
  t.notOk(existsSync(script), 'nothing answers')
  t.strictSame(await drift(suspended), [])
  await apply(machine, active, straight)
  t.match(text('senders'), 'info@alice.example info@alice.example')
  t.notMatch(text('passwd/alice.example'), /[.]{53}/)
})

t.test('a removed mailbox is set aside, and a removed domain leaves nothing', async t => {
  const { root, machine, text } = await open(t)
  await apply(machine, alice, straight)
  const mail = join(root, `home/.panel-mail/${alice.uid}/alice.example`)
  writeFileSync(join(mail, 'info/kept'), 'mail')
  const gone = [mailbox('info', { desired: 'absent' }), mailbox('sales')]
  await apply(machine, { ...alice, mail: [{ ...domain, mailboxes: gone }] }, straight)
  t.notMatch(text('mailboxes'), 'info@')
  t.notMatch(text('passwd/alice.example'), 'info@')
  const aside = join(root, 'home/alice/files/removed-info@alice.example')
  t.equal(readFileSync(join(aside, 'kept'), 'utf8'), 'mail')
  await apply(machine, alice, straight)
  await apply(machine, { ...alice, mail: [{ ...domain, mailboxes: gone }] }, straight)
  t.ok(existsSync(`${aside}-2`))
  const none = { ...domain, mailboxes: [], aliases: [], desired: 'absent' as const }
  rmSync(join(mail, 'sales'), { recursive: true })
  await apply(machine, { ...alice, mail: [none] }, straight)
  t.equal(text('domains'), '')
  t.equal(text('passwd/alice.example'), undefined)
  t.strictSame(readdirSync(join(root, 'var/lib/panel-mail/dkim')), [])
  t.notOk(existsSync(mail))
})

t.test('a terminated account leaves nothing but its trash', async t => {
  const { root, machine, text } = await open(t)
  await apply(machine, bob, straight)
  await apply(machine, alice, straight)
  await apply(machine, { ...alice, desired: 'terminated' }, straight)
  t.equal(text('domains'), `# account ${bob.uid}\nbob.example ${bob.uid}\n`)
  t.equal(text('passwd/alice.example'), undefined)
  t.notOk(existsSync(join(root, `home/.panel-mail/${alice.uid}`)))
  t.ok(existsSync(join(root, `home/.trash/${alice.uid}/mailboxes/alice.example/info`)))
  await erase(machine, bob, straight)
  t.equal(text('domains'), '')
  t.notOk(existsSync(join(root, `home/.trash/${bob.uid}`)))
})

t.test('drift names what differs, and no password', async t => {
  const { root, machine, drift } = await open(t)
  await apply(machine, alice, straight)
  const map = (name: string) => join(root, 'etc/panel-mail', name)
  writeFileSync(map('aliases'), 'root@alice.example evil@elsewhere.example\n')
  writeFileSync(map('passwd/alice.example'), '')
  rmSync(map('senders.lmdb'))
  rmSync(join(root, 'var/lib/panel-mail/dkim/alice.example.p202611.key'))
  const found = await drift(alice)
  t.match(found, [
    /lines in aliases differ/,
    /aliases is not compiled/,
    /senders is not compiled/,
    /alice.example has no key/,
    /passwd\/alice.example differs/,
  ])
  t.notMatch(found.join(), hash)
  await apply(machine, alice, straight, ['mailboxes'])
  t.strictSame(await drift(alice), [])
})

t.test('a list written within the second has another time', async t => {
  const { root, machine } = await open(t)
  const path = join(root, 'etc/panel-mail/passwd/alice.example')
  const seconds: number[] = []
  for (const letter of ['b', 'c', 'd']) {
    const other = { hash: hash.replaceAll('a', letter) }
    const mailboxes = [mailbox('info', other)]
    await apply(machine, { ...alice, mail: [{ ...domain, mailboxes }] }, straight, ['mailboxes'])
    seconds.push(Math.floor(statSync(path).mtimeMs / 1_000))
  }
  t.equal(new Set(seconds).size, 3)
})

t.test('many accounts at once are written together', async t => {
  const { machine, text } = await open(t)
  const all = Array.from({ length: 30 }, (_, index) => ({
    ...{ ...plain, id: `${index + 10}`, uid: 30_000 + index, username: `user${index}` },
    mail: [{ ...domain, domain: `user${index}.example`, aliases: [] }],
  }))
  await Promise.all(all.map(one => apply(machine, one, straight, ['mailboxes'])))
  t.equal(text('domains')?.match(/^user/gm)?.length, 30)
  t.equal(text('mailboxes')?.match(/^info@/gm)?.length, 30)
})
