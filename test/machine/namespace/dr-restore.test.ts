import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { runPanel } from '../../support/cli/run-panel.ts'
import { database } from '../../support/database.ts'
import { alice, call } from '../../support/panel.ts'
import { inherited, startProcess } from '../../support/processes.ts'
import { until } from '../../support/until.ts'
import type { Facts } from '../fixtures/old-server.ts'
import { listHome } from '../home-listing.ts'
import { run, sftp, sftpByKey, startServices, reportErrors, expectPage, visit } from '../machine.ts'

// A server is backed up and its machine deleted: that is another throw-away copy, inside this one,
// with a database of its own. This one becomes it.

t.setTimeout(500_000)
const scratch = process.env['PANEL_TEST_SCRATCH']!
const root = join(import.meta.dirname, '../../..')
const folder = mkdtempSync(join(scratch, 'dr-'))
const file = join(folder, 'backup.age')
const passphrase = 'correct horse battery staple'
const fresh = await database(t)
const stateDir = '/var/lib/panel-state'
const settings = '/etc/panel/panel.env'
const environment = {
  DATABASE_URL: fresh.url,
  PANEL_HOST: 'linux',
  PANEL_STATE_DIR: stateDir,
  PANEL_ACME_DIRECTORY: 'none',
  PANEL_WEBHOOK_ALLOW: '127.0.0.0/8',
  PANEL_DEVELOPMENT: 'yes',
  PANEL_LISTEN: '127.0.0.1:8090',
}
const words = ['ctl', 'dr-restore', file, '--passphrase-stdin', '--yes', '--json']
const start = (name: string) =>
  startProcess(t, `bin/panel-${name}.ts`, [], {
    ready: / ready/,
    environment,
    onOutput: reportErrors,
  })
let facts: Facts

t.test('a server with everything is backed up, and gone', async t => {
  const inside = [process.execPath, join(root, 'test/machine/fixtures/old-server.ts')]
  const paths = ['--read-write', scratch, '--read-only', root]
  const child = spawn(
    join(root, 'test/machine/namespace.sh'),
    [...paths, ...inside, folder, passphrase],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const output = buffer(child.stdout)
  const [code] = await once(child, 'close')
  t.equal(code, 0, (await output).toString())
  facts = JSON.parse(readFileSync(join(folder, 'facts.json'), 'utf8'))
  t.notOk(existsSync('/home/alice'))
})

t.test('a fresh machine becomes it, although it is killed half way once', async t => {
  execFileSync('useradd', ['-u', '30500', 'other'])
  // Settings in their file, as on an installed server.
  mkdirSync('/etc/panel', { recursive: true })
  const fresh = { ...environment, PANEL_HOSTNAME: 'fresh.example.com' }
  const lines = Object.entries(fresh).map(([name, value]) => `${name}=${value}`)
  writeFileSync(settings, lines.join('\n'), { mode: 0o640 })
  const child = spawn(process.execPath, [join(root, 'bin/panel'), ...words], {
    env: inherited,
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  child.stdin.end(passphrase)
  const exited = once(child, 'exit')
  const journal = join(stateDir, 'restore.json')
  const isHalf = () => existsSync(journal) && readFileSync(journal, 'utf8').includes('database')
  while (!isHalf() && child.exitCode === null) await sleep(5)
  child.kill('SIGKILL')
  t.strictSame(await exited, [null, 'SIGKILL'])
  await t.rejects(start('worker'), /panel-worker.ts ended/)
  const result = await runPanel(words, {}, passphrase)
  t.equal(result.code, 0, result.stderr)
  t.match(result.json(), { accounts: 2, put_aside: [] })
})

t.test('its settings are those of the server, and where things are is as it is here', async t => {
  const merged = readFileSync(settings, 'utf8').split('\n')
  for (const name of ['DATABASE_URL', 'PANEL_STATE_DIR', 'PANEL_LISTEN'] as const) {
    t.strictSame(
      merged.filter(line => line.startsWith(`${name}=`)),
      [`${name}=${environment[name]}`],
    )
  }
  t.match(merged.join('\n'), /^PANEL_HOSTNAME=old\.example\.com$/m)
  t.match(merged.join('\n'), /^PANEL_TRASH_HOURS=99$/m)
  t.notMatch(merged.join('\n'), 'fresh.example.com')
  t.equal(statSync(settings).mode & 0o777, 0o640)
})

t.test('files have their owners, modes, links and access lists', async t => {
  const listing = listHome()
  t.strictSame(listing, facts.listing)
  const acl = execFileSync('getfacl', ['-np', '/home/alice/files/letter'], { encoding: 'utf8' })
  t.match(acl, /^user:1:r--$/m)
  t.match(facts.acl, /^user:daemon:r--$/m)
})

t.test('API, websites, passwords, keys, cron and hook scripts work as before', async t => {
  startServices('nginx', 'sshd', 'cron')
  await start('worker')
  await start('api')
  const ask = (method: string, path: string, body?: object, key = 'another') =>
    call(`http://127.0.0.1:8090/api/v1${path}`, method, { body, key, token: facts.token })
  t.equal((await ask('POST', '/accounts', alice, 'alice')).text, facts.created)
  await expectPage('bob.example', '/', /^503 /)
  await until(async () => (await visit(alice.domain, '/who.php')).text === String(facts.uids[0]))
  const { rows } = await fresh.pool.query('select uid from panel.accounts order by uid')
  t.strictSame(
    rows.map(row => row.uid),
    facts.uids,
  )
  const secure = [
    '-sk',
    '--resolve',
    'alice.example:443:127.0.0.1',
    'https://alice.example/who.php',
  ]
  t.match(await run('curl', secure), { code: 0, stdout: String(facts.uids[0]) })
  const pem = execFileSync('sh', ['-c', 'cat /var/lib/panel/certificates/1/*.pem | sha256sum'], {
    encoding: 'utf8',
  })
  t.equal(pem, facts.certificate)
  await until(async () => (await sftp('alice', alice.password, 'get letter /tmp/l\n')).code === 0)
  t.equal(readFileSync('/tmp/l', 'utf8'), 'dear')
  t.not((await sftp('bob', alice.password, 'ls\n')).code, 0)
  const codeByKey = async (username: string) =>
    (await sftpByKey(username, join(folder, 'key'), 'ls\n')).code
  t.equal(await codeByKey('alice'), 0)
  t.not(await codeByKey('bob'), 0)
  t.match(await run('crontab', ['-u', 'alice', '-l']), { stdout: '@yearly true\n' })
  t.equal((await ask('POST', '/accounts/bob/unsuspend', {}, 'u')).status, 200)
  t.equal(await codeByKey('bob'), 0)
  await until(() => existsSync('/var/lib/reported'))
  const carol = { ...alice, username: 'carol', domain: 'carol.example' }
  t.equal((await ask('POST', '/accounts', carol, 'carol')).status, 201)
  const { stdout } = await run('id', ['-u', 'carol'])
  t.ok(Number(stdout) > 30_500, stdout)
})

t.test('webhooks wait for the release and are signed as before', async t => {
  const received: { signature: string; body: Buffer }[] = []
  const receiver = createServer(async (request, response) => {
    const signature = String(request.headers['x-panel-signature'])
    received.push({ signature, body: await buffer(request) })
    response.writeHead(204).end()
  }).listen(8099, '127.0.0.1')
  t.teardown(() => receiver.close().closeAllConnections())
  const courier = start('courier')
  await until(async () =>
    (await runPanel(['ctl', 'info'], environment)).stdout.match(/courier +up/),
  )
  t.equal(received.length, 0)
  t.match(await runPanel(['ctl', 'dr-restore', '--release'], environment), { code: 0 })
  await courier
  await until(() => received.some(({ body }) => body.includes('"username":"carol"')))
  for (const { signature, body } of received) {
    const hmac = execFileSync('openssl', ['dgst', '-sha256', '-hmac', facts.secret], {
      input: body,
    })
    t.equal(signature, `sha256=${hmac.toString().trim().split(' ').at(-1)}`)
  }
})
