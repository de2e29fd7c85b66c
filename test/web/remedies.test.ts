import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { readArchive } from '../../src/backup/archive-reader.ts'
import { readSnapshot } from '../../src/model/server/server-snapshot.ts'
import { openGate } from '../support/gate.ts'
import { alice, openPanel } from '../support/panel.ts'
import { until } from '../support/until.ts'
import { signIn, signInAs } from '../support/web/signed-in.ts'

// Findings are mended from the page of the server, by operations, and their end shows there.

const gate = openGate()
const panel = await openPanel(t, { observe: gate.observe })
const { pool, call } = panel
await call('PUT', '/api/v1/packages/starter', { body: {} })
await call('POST', '/api/v1/accounts', { body: { ...alice, domain: 'alice.example' } })
const admin = await signIn(panel)
const at = (path: string) => `/server/remedies/${path}`

// A systemd of the sandbox's own, which starts what it is asked to start.
const bin = join(panel.root, 'usr/local/sbin')
const up = (unit: string) => join(panel.root, `up-${unit}.service`)
await mkdir(bin, { recursive: true })
await writeFile(
  join(bin, 'systemctl'),
  `#!/bin/sh
  case "$1" in
    start) [ "$3" = mariadb.service ] && exit 5; touch "${panel.root}/up-$3";;
    is-active) [ -e "${panel.root}/up-$3" ];;
  esac
  `,
)
await chmod(join(bin, 'systemctl'), 0o755)

const recheck = async () => {
  await admin.submit('/server/recheck')
  await until(async () => {
    const { taken_at, is_awaited } = await readSnapshot(pool)
    return taken_at !== null && !is_awaited
  }, 90_000)
}
// The findings as a line.
const server = async () => {
  const { text } = await admin.get('/server')
  const [, findings = ''] = /<div id="live"(.*)id="checks"/s.exec(text) ?? []
  return findings.replaceAll(/\s*\n\s*/g, ' ')
}
const operations = async (name: string) =>
  (
    await pool.query<{ state: string; status: number; subject: string; caller_words: string }>(
      `select state, status, subject, caller_words from panel.operations where name = $1
         and session_id is not null order by created_at`,
      [name],
    )
  ).rows

t.test('a service that is down is started where the finding is', async t => {
  await pool.query(`update panel.server set service_warnings = '{"sftp": "sshd is not running"}'`)
  await recheck()
  t.match(await server(), /sshd is not running.*action="\/server\/remedies\/start-service"/)
  t.match(await server(), /name="service" value="ssh".*Start ssh/)

  // It takes longer than the form waits.
  gate.close()
  const sent = admin.submit(at('start-service'), { service: 'ssh' })
  await gate.reached()
  t.match(await server(), /in progress<\/span> ?<p>Starting ssh .*View job/)
  t.notMatch(await server(), 'Start ssh', 'not twice')
  t.match(await server(), /hx-trigger="every 1s"/)
  t.match(await sent, { status: 303, headers: { location: '/server#concerns' } })
  gate.open()
  await until(async () => (await operations('server/start-service'))[0]?.state === 'done')
  t.ok(existsSync(up('ssh')))
  await until(async () => /done<\/span> ?<p>ssh was started/.test(await server()))
  t.notMatch(await server(), 'Start ssh', 'before it is checked again')
  await recheck()
  t.notMatch(await server(), 'sshd is not running')
  t.match(await operations('server/start-service'), [{ subject: 'ssh', caller_words: 'admin' }])
})

t.test('only services of the list are started, and only by an administrator', async t => {
  for (const service of ['panel-api', 'nginx.service; reboot', '', '../nginx', '--all']) {
    t.match(await admin.submit(at('start-service'), { service }), { status: 422 }, service)
  }
  const alone = await signInAs(panel, 'alice')
  const sent = await alone.submit(at('start-service'), { service: 'nginx' })
  t.not(sent.headers.location, '/server#concerns')
  t.equal((await operations('server/start-service')).length, 1)
})

t.test('a service that is not installed is refused, in words', async t => {
  const { status, text } = await admin.submit(at('start-service'), { service: 'mariadb' })
  t.equal(status, 422)
  t.match(text, 'mariadb is not installed on this server')
  t.match(await server(), /failed<\/span> ?<p>mariadb did not start: mariadb is not installed/)
  await rm(join(bin, 'systemctl'))
  const { text: without } = await admin.submit(at('start-service'), { service: 'cron' })
  t.match(without, 'There is no systemd here')
})

t.test('an account that differs is rebuilt', async t => {
  await pool.query(`update panel.accounts set is_applied = false`)
  await recheck()
  t.match(await server(), /name="username" value="alice".*Rebuild alice/)
  const sent = await admin.submit(at('rebuild-account'), { username: 'alice' })
  t.match(sent, { status: 303, headers: { location: '/server#concerns' } })
  t.match(await operations('account/apply'), [{ state: 'done', status: 200 }])
  t.match(await server(), /done<\/span> ?<p>alice was rebuilt/)
  t.notMatch(await server(), 'half done')
  const unknown = await admin.submit(at('rebuild-account'), { username: 'nemo' })
  t.match(unknown, { status: 404, text: /Unknown account/ })
})

t.test('a certificate is requested again', async t => {
  await pool.query(
    `insert into panel.certificates
       (site_id, due_at, installed_names, issuer, expires_at, renew_at)
     select id, now() + interval '1 day', '{alice.example}', 'Test',
       now() + interval '3 days', now()
     from panel.sites`,
  )
  t.match(await server(), /Certificate of alice.example.*Renew certificate/)
  const fields = { username: 'alice', domain: 'alice.example' }
  t.match(await admin.submit(at('recheck-site'), fields), { status: 303 })
  t.match(await server(), 'A certificate for alice.example is ordered if the domain points here')
})

t.test('shared files are rebuilt, and the panel’s own repaired', async t => {
  t.match(await admin.submit(at('rebuild-server')), { status: 303 })
  t.match(await operations('server/apply'), [{ state: 'done' }])
  const loose = join(panel.root, '../key')
  await chmod(loose, 0o666)
  await recheck()
  t.match(await server(), /action="\/server\/remedies\/repair"/)
  await admin.submit(at('repair'))
  await until(async () => (await operations('server/repair'))[0]?.state === 'done')
  await until(async () => /files were repaired/.test(await server()))
})

t.test('the server is backed up where no backup is found', async t => {
  t.match(await server(), /There is no backup.*href="\/server\/remedies\/back-up".*Back up now/)
  const passphrase = 'a long passphrase of hers'
  const differs = await admin.submit(at('back-up'), { passphrase, again: `${passphrase}!` })
  t.match(differs, { status: 422, text: /id="field-again-error"[^]*The passphrases differ/ })
  const short = await admin.submit(at('back-up'), { passphrase: 'short', again: 'short' })
  t.match(short, { status: 422, text: /must have at least 12 characters/ })
  t.equal((await operations('server/back-up')).length, 0)

  gate.close()
  const sent = admin.submit(at('back-up'), { passphrase, again: passphrase })
  await gate.reached()
  const { rows: waiting } = await pool.query(`select to_jsonb(o) as row from panel.operations o`)
  t.notMatch(JSON.stringify(waiting), passphrase)
  t.match(await server(), /in progress<\/span> ?<p>Backing up the server/)
  gate.open()
  t.match(await sent, { status: 303, headers: { location: '/server#concerns' } })
  await until(async () => (await operations('server/back-up'))[0]?.state === 'done', 60_000)
  const { rows } = await pool.query<{ path: string; params: object }>(
    `select b.path, o.params from panel.backups b, panel.operations o
     where o.name = 'server/back-up'`,
  )
  t.equal(rows.length, 1)
  t.strictSame(rows[0]!.params, {}, 'the passphrase is gone')
  await readArchive(rows[0]!.path, passphrase, { onBytes: () => undefined })
  await recheck()
  t.notMatch(await server(), 'There is no backup')
})

t.test('kept files of terminated accounts are deleted after a question', async t => {
  const idle = await admin.get(at('empty-trash'))
  t.match(idle.text, 'No files of terminated accounts are kept')
  const trash = () => readdir(join(panel.root, 'home/.trash'))
  await call('DELETE', '/api/v1/accounts/alice')
  await recheck()
  const asked = await admin.get(at('empty-trash'))
  t.match(asked.text, /The files of 1 terminated account are kept for 72 hours.*alice/)
  const [, until = ''] = /name="until" value="([^"]*)"/.exec(asked.text) ?? []
  // An account that ends after the question is not a part of the answer.
  await call('POST', '/api/v1/accounts', {
    body: { ...alice, username: 'late', domain: undefined },
  })
  await call('DELETE', '/api/v1/accounts/late')
  t.equal((await trash()).length, 2)
  t.match(await admin.submit(at('empty-trash'), { until }), { status: 303 })
  t.match(await operations('server/empty-trash'), [{ state: 'done', status: 200 }])
  t.equal((await trash()).length, 1, 'the other one’s')
  await recheck()
  const left = await admin.get(at('empty-trash'))
  t.match(left.text, /The files of 1 terminated account are kept.*late/, 'deleted ones no more')
})
