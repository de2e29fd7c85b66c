import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { readInbox, sendMail } from '../../support/line-client.ts'
import { until } from '../../support/until.ts'
import { openBackups } from '../account-backups.ts'
import { asUser, startServices } from '../machine.ts'
import { homeOf, mailCommands, password, untilReady } from '../mail-hosting.ts'

// Mailboxes in backups and restores, with real restic, Dovecot and Postfix.

startServices('nginx')
const backups = await openBackups(t)
const { call, ended, panel, startWorker, done } = backups
let worker = await startWorker()
const { panelCall, enable } = mailCommands(t, panel)
const box = 'info@alice.example'
const [uid] = (await backups.addAccounts()) as [number]
const home = homeOf(box, uid)
const as = (script: string) => asUser(uid, ['sh', '-ec', script])
const send = (subject: string) =>
  sendMail({
    ...{ port: 25, from: 'eve@outside.example', to: box },
    text: `From: eve@outside.example\nTo: ${box}\nSubject: ${subject}\n\nHi.\n`,
  })
const mail = async (words: string[], input?: string) => {
  const result = await panelCall(['mail', ...words], input)
  if (result.code !== 0) throw new Error(result.stderr)
}
const subjects = async () =>
  (await readInbox(box, password)).messages
    .map(text => /^Subject: (.*?)\r?$/m.exec(text)?.[1])
    .sort()
const arrived = (subject: string) => until(async () => (await subjects()).includes(subject), 15_000)

type Restore = { state: string; error: string | null; warnings: string[]; files: number }
const restore = async (...words: string[]): Promise<Restore> => {
  const [{ id }] = (await call(['ls', 'alice', '--json'])).json().backups.slice(-1)
  const begun = await call(['restore', 'alice', id, ...words, '--yes', '--json'])
  t.equal(begun.code, 0, begun.stderr)
  const newest = async () => (await call(['restore-ls', 'alice', '--json'])).json().restores[0]
  await until(async () => /done|failed/.test((await newest()).state), 90_000)
  return newest()
}

t.test('a backup has the mail of the account', async t => {
  t.equal((await enable('--take-over')).code, 0)
  t.ok(await untilReady())
  await mail(['domain', 'add', 'alice', 'alice.example'])
  await panel.pool.query(`select panel.record_mail_domain_seen('alice.example', 'mx')`)
  await mail(['mailbox', 'add', 'alice', box, '--password-stdin'], `${password}\n`)
  t.ok(await until(async () => (await send('one')).code === 250, 20_000))
  t.equal((await send('two')).code, 250)
  t.ok(await arrived('two'))
  await as(`cd ${home}; mkdir -p sieve Maildir/.Old/cur Maildir/.Old/new Maildir/.Old/tmp
    echo keep >sieve/mine.sieve; ln -s sieve/mine.sieve .dovecot.sieve
    printf 'Subject: old\\n\\nHi.\\n' >Maildir/.Old/cur/1.old:2,Sa`)
  await done('add', 'alice', 'shop')
  await backups.mariadb.root(
    `CREATE TABLE alice_shop.t (a TEXT); INSERT INTO alice_shop.t VALUES ('x')`,
  )
  await call(['target', 'add', 'disk', '--folder', '/mnt/backups'])
  t.equal((await call(['create', 'alice'])).code, 0)
  t.match(await ended(), { state: 'done', error: null, warnings: [] })
})

t.test('the list of a backup names its mailboxes, and a preview shows them', async t => {
  const [{ id }] = (await call(['ls', 'alice', '--json'])).json().backups
  const { mailboxes } = (await call(['files', 'alice', id, '--json'])).json()
  t.match(mailboxes, [{ mailbox: box }])
  t.ok(mailboxes[0].files >= 4)
  const preview = await call(['restore', 'alice', id, '--mailbox', box, '--preview', '--json'])
  t.match(preview.json(), { items: [{ kind: 'mailbox', name: box, effect: 'adds' }], fits: true })
})

t.test('deleted mail comes back, and later mail stays', async t => {
  await as(`rm -r ${home}/Maildir/cur/* ${home}/Maildir/new/* ${home}/Maildir/.Old ${home}/sieve
    rm ${home}/.dovecot.sieve`)
  t.equal((await send('three')).code, 250)
  t.ok(await arrived('three'))
  t.strictSame(await subjects(), ['three'])
  t.match(await restore('--mailbox', box), { state: 'done', error: null, warnings: [] })
  t.strictSame(await subjects(), ['one', 'three', 'two'])
  t.strictSame(readdirSync(`${home}/Maildir/.Old/cur`), ['1.old:2,S'])
  t.equal(readFileSync(`${home}/.dovecot.sieve`, 'utf8'), 'keep\n')
  t.ok(await until(() => readdirSync('/home/.trash/restoring').length === 0))
})

t.test('a message that is there already comes back only once', async t => {
  t.match(await restore('--mailbox', box), { state: 'done', error: null })
  t.strictSame(await subjects(), ['one', 'three', 'two'])
})

t.test('links in a mailbox lead nowhere that the account may not write', async t => {
  await as(`rm -r ${home}/Maildir/.Old; ln -s /etc ${home}/Maildir/.Old`)
  t.match(await restore('--mailbox', box), { state: 'failed', error: /perl/ })
  t.notOk(existsSync('/etc/cur'))
  await as(`rm ${home}/Maildir/.Old`)
})

t.test('a mailbox that the backup lacks is refused', async t => {
  const failed = await restore('--mailbox', 'none@alice.example')
  t.match(failed, { state: 'failed', error: /does not have none@alice.example/ })
  const odd = await call(['restore', 'alice', '1', '--mailbox', '../x@alice.example', '--yes'])
  t.match(odd, { code: 1, stderr: /must be an address/ })
})

t.test('a deleted mailbox and database are made again, with their passwords', async t => {
  const hash = async () =>
    (await panel.pool.query(`select hash from panel.database_users where name = 'alice_shop'`)).rows
  const before = await hash()
  await mail(['mailbox', 'rm', 'alice', box, '--yes'])
  await done('rm', 'alice', 'alice_shop', '--yes')
  t.notOk(existsSync(home))
  const both = await restore('--mailbox', box, '--database', 'alice_shop')
  t.match(both, { state: 'done', error: null, warnings: [] })
  t.strictSame(await subjects(), ['one', 'two'])
  t.equal((await send('four')).code, 250)
  t.ok(await arrived('four'))
  t.match(await backups.mariadb.root('SELECT a FROM alice_shop.t'), /x/)
  t.strictSame(await hash(), before)
  const { rows } = await panel.pool.query(
    `select count(*)::integer as left from panel.account_restores where rows is not null`,
  )
  t.strictSame(rows, [{ left: 0 }], 'no hash is kept')
})

t.test('a kill while mail is moved loses nothing', async t => {
  await as(`rm -r ${home}/Maildir/cur/* ${home}/Maildir/.Old`)
  writeFileSync(
    '/usr/local/sbin/perl',
    `#!/bin/sh
case "$*" in *subscriptions*) [ -e /tmp/once ] || { : >/tmp/once; exec sleep 600; } ;; esac
exec /usr/bin/perl "$@"\n`,
  )
  chmodSync('/usr/local/sbin/perl', 0o755)
  const restoring = restore('--mailbox', box)
  t.ok(await until(() => existsSync('/tmp/once'), 60_000), 'it is there')
  await worker.kill()
  worker = await startWorker()
  t.match(await restoring, { state: 'done', error: null })
  rmSync('/usr/local/sbin/perl')
  t.strictSame(await subjects(), ['one', 'two'])
})
