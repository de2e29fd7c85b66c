import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

// The distribution's WordPress in websites of the panel, with a MariaDB of its own.

const [data, socket] = ['/var/tmp/bench-mariadb', '/run/mysqld/mysqld.sock']

type Place = { username: string; domain: string; below: string }

export type WordPress = {
  /** Installs it into a website, in a folder below the public one or in that itself. */
  install: (place: Place) => Promise<void>
  stop: () => void
}

/** Starts MariaDB where WordPress looks for it. */
export async function openWordPress(): Promise<WordPress> {
  mkdirSync('/run/mysqld', { recursive: true })
  const asRoot = ['--no-defaults', `--datadir=${data}`, '--user=root']
  execFileSync(
    'mariadb-install-db',
    [...asRoot, ...['--skip-test-db', '--auth-root-authentication-method=socket']],
    { stdio: 'ignore' },
  )
  const server = spawn('mariadbd', [...asRoot, `--socket=${socket}`, '--skip-networking'], {
    stdio: 'ignore',
  })
  await until(() => query('select 1'))
  return { install, stop: () => server.kill() }
}

const query = (statements: string) =>
  execFileSync('mariadb', ['--no-defaults', `--socket=${socket}`], {
    input: statements,
    stdio: ['pipe', 'ignore', 'ignore'],
  })

/** Repeats what fails at first, for half a minute. */
async function until(work: () => unknown): Promise<void> {
  for (let count = 0; ; count++) {
    try {
      await work()
      return
    } catch (error) {
      if (count === 300) throw error
      await sleep(100)
    }
  }
}

// The distribution has no theme in this package.
const theme = {
  'style.css': '/* Theme Name: Bench */',
  'index.php': `<?php wp_head(); while (have_posts()) { the_post(); the_title('<h1>', '</h1>');
    the_content(); } wp_footer();`,
}

async function install({ username, domain, below }: Place): Promise<void> {
  query(`create database ${username}; create user ${username}@localhost identified by 'bench';
    grant all on ${username}.* to ${username}@localhost;`)
  const open = `/home/${username}/sites/${domain}/public`
  const folder = `${open}${below}`
  const as = (command: string[], input = '') =>
    execFileSync(
      'setpriv',
      [`--reuid=${username}`, `--regid=${username}`, '--clear-groups', ...command],
      {
        input,
        stdio: ['pipe', 'ignore', 'inherit'],
      },
    )
  as(['mkdir', '-p', `${folder}`])
  as(['cp', '-rL', '/usr/share/wordpress/.', folder])
  as(['rm', '-f', `${folder}/.htaccess`])
  const files = {
    [`${open}/style.css`]: 'a { color: black }\n'.repeat(500),
    [`${folder}/wp-config.php`]: `<?php
define('DB_NAME', '${username}');
define('DB_USER', '${username}');
define('DB_PASSWORD', 'bench');
define('DB_HOST', 'localhost');
define('DB_CHARSET', 'utf8mb4');
define('DB_COLLATE', '');
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('DISABLE_WP_CRON', true);
define('WP_HOME', 'http://' . $_SERVER['HTTP_HOST'] . '${below}');
define('WP_SITEURL', WP_HOME);
$table_prefix = 'wp_';
define('ABSPATH', __DIR__ . '/');
require_once ABSPATH . 'wp-settings.php';
`,
  }
  const themeFolder = `${folder}/wp-content/themes/twentytwentythree`
  as(['mkdir', '-p', themeFolder])
  for (const [name, text] of Object.entries(theme)) files[`${themeFolder}/${name}`] = text
  for (const [path, text] of Object.entries(files)) as(['tee', path], text)
  const fields = {
    ...{ weblog_title: 'Bench', user_name: 'boss', admin_email: 'boss@example.com' },
    ...{ admin_password: 'a password', admin_password2: 'a password', pw_weak: 'on' },
    ...{ blog_public: '0', language: '' },
  }
  const where = ['--resolve', `${domain}:80:127.0.0.1`, '--max-time', '60']
  const form = Object.entries(fields).flatMap(([name, value]) => [
    '--data-urlencode',
    `${name}=${value}`,
  ])
  const address = `http://${domain}${below}`
  const page = execFileSync('curl', [
    ...['-sS', ...where, ...form, `${address}/wp-admin/install.php?step=2`],
  ]).toString()
  if (!page.includes('Success')) throw new Error(`WordPress was not installed: ${page}`)
  query(`use ${username};
    update wp_options set option_value = '/%postname%/' where option_name = 'permalink_structure';
    update wp_options set option_value = '' where option_name = 'rewrite_rules';`)
  await until(() => {
    const shown = execFileSync('curl', ['-sS', ...where, `${address}/hello-world/`]).toString()
    if (!shown.includes('Hello world!')) throw new Error(`${address}/hello-world/: ${shown}`)
  })
}
