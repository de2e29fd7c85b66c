import t from 'tap'
import { startApi } from '../../support/api/api-process.ts'
import { alice, call } from '../../support/panel.ts'
import { until } from '../../support/until.ts'
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
const directory = `/home/alice/sites/${alice.domain}/public`
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

const configure = (password: string, { below = '', prefix = 'wp_' } = {}) =>
  putFile(
    user,
    `${directory}${below}/wp-config.php`,
    `<?php
define('DB_NAME', 'alice_blog');
define('DB_USER', 'alice_blog');
define('DB_PASSWORD', '${password}');
define('DB_HOST', 'localhost');
define('DB_CHARSET', 'utf8mb4');
define('DB_COLLATE', '');
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('DISABLE_WP_CRON', true);
$table_prefix = '${prefix}';
define('ABSPATH', __DIR__ . '/');
require_once ABSPATH . 'wp-settings.php';
`,
  )

// Programs without a package in the distribution.
const theme = {
  'style.css': '/* Theme Name: Plain */',
  'index.php': '<?php while (have_posts()) { the_post(); echo "post: "; the_title(); }',
}

async function install(password: string, below = '', prefix = 'wp_'): Promise<string> {
  await asUser(user.uid, ['mkdir', '-p', `${directory}${below}`])
  await asUser(user.uid, ['cp', '-rL', '/usr/share/wordpress/.', `${directory}${below}`])
  await configure(password, { below, prefix })
  const folder = `${directory}${below}/wp-content/themes/twentytwentythree`
  await asUser(user.uid, ['mkdir', '-p', folder])
  for (const [name, text] of Object.entries(theme)) await putFile(user, `${folder}/${name}`, text)
  const { stdout } = await ask(
    `${below}/wp-admin/install.php?step=2`,
    ...form({
      ...{ weblog_title: 'Shop', user_name: 'boss', admin_email: 'boss@alice.example' },
      ...{ admin_password: 'correct horse', admin_password2: 'correct horse', pw_weak: 'on' },
      ...{ blog_public: '0', language: '' },
    }),
  )
  return stdout
}

t.test('WordPress is installed, and shows its first post', async t => {
  const { password } = await done('add', 'alice', 'blog')
  await asUser(user.uid, ['rm', '-f', `${directory}/index.html`])
  const installed = await install(password)
  t.match(installed, /Success!/, installed.slice(-2_000))
  t.strictSame(await titles(), ['Hello world!'])
  // A second one in a folder, with nothing configured for either.
  const second = await install(password, '/blog', 'blog_')
  t.match(second, /Success!/, second.slice(-2_000))
})

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** A plugin that is sent as an archive, and put in the place of the one that there is. */
const upgrade = (version: string): string => `<?php
define('WP_ADMIN', true);
require __DIR__ . '/wp-load.php';
require ABSPATH . 'wp-admin/includes/admin.php';
require ABSPATH . 'wp-admin/includes/class-wp-upgrader.php';
require ABSPATH . 'wp-admin/includes/class-pclzip.php';
$from = get_temp_dir() . 'made';
wp_mkdir_p("$from/sample/assets");
file_put_contents("$from/sample/sample.php", "<?php /* Plugin Name: Sample */");
file_put_contents("$from/sample/assets/style.css", "/* ${version} */");
@unlink("$from.zip");
(new PclZip("$from.zip"))->create("$from/sample", PCLZIP_OPT_REMOVE_PATH, $from);
$skin = new Automatic_Upgrader_Skin();
$done = (new Plugin_Upgrader($skin))->install("$from.zip", ['overwrite_package' => true]);
echo $done === true ? 'done' : var_export([$done, $skin->get_upgrade_messages()], true);
`

for (const below of ['', '/blog']) {
  t.test(`WordPress is used by its owner and by visitors, in ${below || '/'}`, async t => {
    const jar = `/tmp/jar${below.replace('/', '-')}`
    const signedIn = (path: string, ...words: string[]) =>
      ask(`${below}${path}`, '-b', jar, '-c', jar, ...words)
    await signedIn('/wp-login.php')
    const fields = { log: 'boss', pwd: 'correct horse', testcookie: '1' }
    const shown = [
      '-L',
      ...form({ ...fields, redirect_to: `http://${alice.domain}${below}/wp-admin/` }),
    ]
    t.match((await signedIn('/wp-login.php', ...shown)).stdout, /Howdy|wp-admin-bar/)

    const page = (await signedIn('/wp-admin/options-permalink.php')).stdout
    const nonce = /name="_wpnonce" value="(\w+)"/.exec(page)?.[1] ?? ''
    const structure = '/%year%/%monthnum%/%postname%/'
    const permalinks = { _wpnonce: nonce, permalink_structure: structure, selection: structure }
    const http = `http://${alice.domain}${below}/wp-admin/options-permalink.php`
    const more = { _wp_http_referer: `${below}/wp-admin/options-permalink.php`, submit: 'Save' }
    await signedIn(
      '/wp-admin/options-permalink.php',
      '-e',
      http,
      ...form({ ...permalinks, ...more }),
    )
    const now = (await ask(`${below}/wp-json/wp/v2/posts`)).stdout
    const [{ link }] = JSON.parse(now) as [{ link: string }]
    t.match(link, new RegExp(`^http://${alice.domain}${below}/\\d{4}/\\d\\d/hello-world/$`))
    const path = new URL(link).pathname
    t.match((await ask(path)).stdout, 'post: Hello world!', path)
    t.equal(
      (await ask(`${below}/no/such/post/`, '-o', '/dev/null', '-w', '%{http_code}')).stdout,
      '404',
    )

    const key = (await signedIn('/wp-admin/admin-ajax.php?action=rest-nonce')).stdout
    await run('sh', ['-c', `printf '${png}' | base64 -d >/tmp/photo.png`])
    const sent = ['-H', `X-WP-Nonce: ${key}`, '-F', 'file=@/tmp/photo.png;type=image/png']
    const uploaded = (await signedIn('/wp-json/wp/v2/media', ...sent)).stdout
    const { source_url: url } = JSON.parse(uploaded) as { source_url: string }
    const kind = ['-o', '/tmp/seen.png', '-w', '%{http_code} %{content_type}']
    t.equal((await ask(new URL(url).pathname, ...kind)).stdout, '200 image/png', url)
    t.equal((await run('cmp', ['/tmp/photo.png', '/tmp/seen.png'])).code, 0)

    for (const version of ['1', '2', '3']) {
      await putFile(user, `${directory}${below}/upgrade.php`, upgrade(version))
      t.equal((await ask(`${below}/upgrade.php`)).stdout, 'done', `version ${version}`)
      const style = `${below}/wp-content/plugins/sample/assets/style.css`
      t.equal((await ask(style)).stdout, `/* ${version} */`)
    }
    t.match((await ask(`${below}/wp-config.php`)).stdout, '404 Not Found')
    t.match((await ask(`${below}/xmlrpc.php`)).stdout, 'XML-RPC server accepts POST requests only')
  })
}

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
  t.equal(await titles(), '', 'no server answers')
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
