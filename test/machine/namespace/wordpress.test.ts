import t from 'tap'
import { startApi } from '../../api/fixtures/api-process.ts'
import { alice, call } from '../../panel.ts'
import { until } from '../../until.ts'
import { openDatabasePanel } from '../databases.ts'
import { asUser, putFile, run, startServices } from '../machine.ts'

// WordPress, the distribution's, installed by its own installer over HTTP onto a new account: what
// was written stays through all that is done to the account.

startServices('nginx')
const { panel, mariadb, say, done, addAccount } = await openDatabasePanel(t)
let worker = await panel.startMachineWorker()
const put = (name: string, body: object) => panel.call('PUT', `/api/v1/packages/${name}`, { body })
await put('starter', { memory_mb: 256 })
await put('larger', { memory_mb: 512, database_connections: 40 })
await addAccount('alice', { domain: alice.domain })
const place = `/home/alice/sites/${alice.domain}/public`
const { rows } = await panel.pool.query('select uid from panel.accounts')
const user = { uid: rows[0].uid as number }

const ask = (path: string, ...words: string[]) =>
  run('curl', [
    ...['-sS', '--max-time', '60', '--resolve', `${alice.domain}:80:127.0.0.1`],
    ...[...words, `http://${alice.domain}${path}`],
  ])
const form = (fields: Record<string, string>) =>
  Object.entries(fields).flatMap(([name, value]) => ['--data-urlencode', `${name}=${value}`])
const titles = async () => {
  const { stdout } = await ask('/?rest_route=/wp/v2/posts')
  try {
    const posts = JSON.parse(stdout) as { title: { rendered: string } }[]
    return posts.map(({ title }) => title.rendered)
  } catch {
    return stdout
  }
}

const configure = (password: string) =>
  putFile(
    user,
    `${place}/wp-config.php`,
    `<?php
define('DB_NAME', 'alice_blog');
define('DB_USER', 'alice_blog');
define('DB_PASSWORD', '${password}');
define('DB_HOST', 'localhost');
define('DB_CHARSET', 'utf8mb4');
define('DB_COLLATE', '');
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('DISABLE_WP_CRON', true);
$table_prefix = 'wp_';
define('ABSPATH', __DIR__ . '/');
require_once ABSPATH . 'wp-settings.php';
`,
  )

t.test('it is installed, and shows its first post', async t => {
  const { password } = await done('add', 'alice', 'blog')
  await asUser(user.uid, ['rm', '-f', `${place}/index.html`])
  await asUser(user.uid, ['cp', '-rL', '/usr/share/wordpress/.', place])
  await configure(password)
  const installed = await ask(
    '/wp-admin/install.php?step=2',
    ...form({
      ...{ weblog_title: 'Shop', user_name: 'boss', admin_email: 'boss@alice.example' },
      ...{ admin_password: 'correct horse', admin_password2: 'correct horse', pw_weak: 'on' },
      ...{ blog_public: '0', language: '' },
    }),
  )
  t.match(installed.stdout, /Success!/, installed.stdout.slice(-2_000))
  t.strictSame(await titles(), ['Hello world!'])
})

t.test('its post is there after all that is done to the account', async t => {
  const post = (word: string) => panel.call('POST', `/api/v1/accounts/alice/${word}`)
  t.equal((await post('suspend')).status, 200)
  t.notMatch(await titles(), ['Hello world!'])
  t.equal((await post('unsuspend')).status, 200)
  t.strictSame(await titles(), ['Hello world!'], 'unsuspended')

  const body = { package: 'larger' }
  t.equal((await panel.call('PUT', '/api/v1/accounts/alice/package', { body })).status, 200)
  t.strictSame(await titles(), ['Hello world!'], 'on another package')

  const { password } = await done('password', 'alice', 'alice_blog')
  t.match(await titles(), /database connection/i, 'the old password is void')
  await configure(password)
  // PHP looks every two seconds whether a file that it has compiled is another one now.
  t.ok(await until(async () => Array.isArray(await titles())), 'with a new password')

  t.equal((await say('ctl', 'rebuild', 'alice')).code, 0)
  t.strictSame(await titles(), ['Hello world!'], 'rebuilt')

  // As a machine does that loses its power.
  await (await startApi(t, panel.databaseUrl)).kill()
  await worker.kill()
  await mariadb.stop('SIGKILL')
  for (const name of ['nginx', 'php-fpm']) {
    const { stdout } = await run('pgrep', ['-f', `^${name}: `])
    const pids = stdout.split('\n').filter(Boolean).map(Number)
    t.ok(pids.length > 0, name)
    for (const pid of pids) process.kill(pid, 'SIGKILL')
    await until(async () => (await run('pgrep', ['-f', `^${name}: `])).stdout === '')
  }
  t.equal(await titles(), '', 'nobody answers')
  startServices('nginx')
  await mariadb.start()
  worker = await panel.startMachineWorker()
  const { baseUrl } = await startApi(t, panel.databaseUrl)
  await until(async () => Array.isArray(await titles()))
  t.strictSame(await titles(), ['Hello world!'], 'all started again')
  for (const [word, isThere] of [
    ['suspend', false],
    ['unsuspend', true],
  ] as const) {
    const path = `${baseUrl}/api/v1/accounts/alice/${word}`
    t.equal((await call(path, 'POST', { token: panel.token })).status, 200, word)
    t.equal(Array.isArray(await titles()), isThere, word)
  }
})
