import type { Test } from 'tap'
import { until } from '../../support/until.ts'
import { type Customer, form, hiddenField, type Visitor, visitorOf } from './customer.ts'
import type { Results } from './results.ts'
import { unpacked } from './unpacked.ts'

// WordPress, at the root of a website and in a folder, used by its owner through wp-admin and by
// visitors.

const owner = { user: 'boss', password: 'correct horse' }

type Blog = {
  customer: Customer
  /** Its path, without a slash at the end. */
  below: string
  /** The folder of its files, in the home. */
  folder: string
  domain: string
  boss: Visitor
  visitor: Visitor
}

/** Tests WordPress, at the root of a website and in a folder. */
export async function showWordPress(
  t: Test,
  customer: Customer,
  { begin, works }: Results,
): Promise<void> {
  const domain = 'blog.example'
  const site = await customer.addSite(domain)
  const database = await customer.addDatabase('blog')
  for (const below of ['', '/blog']) {
    const { machine } = customer
    const [boss, visitor] = [visitorOf(machine, domain), visitorOf(machine, domain)]
    const blog = { customer, below, folder: `${site}${below}`, domain, boss, visitor }
    begin(`WordPress at \`${below || '/'}\``, 'wordpress')
    await works(t, 'installer', t => install(t, blog, database))
    await works(t, 'login cookies', t => signIn(t, blog))
    await works(t, 'pretty permalinks', t => setPermalinks(t, blog))
    await works(t, 'REST API', t => useRest(t, blog))
    await works(t, 'XML-RPC', t => useXmlRpc(t, blog))
    await works(t, 'uploaded image', t => uploadImage(t, blog))
    await works(t, 'theme by zip', t => uploadTheme(t, blog))
    await works(t, 'plugin by zip, updated twice', t => uploadPlugin(t, blog))
    await works(t, 'wp-cron by a cron job', t => runCron(t, blog))
    await works(t, '`.htaccess` reported', t => reportRules(t, blog))
  }
}

type Database = { name: string; password: string }

async function install(t: Test, blog: Blog, { name, password }: Database): Promise<void> {
  const { customer, folder, below, visitor } = blog
  await customer.as(`mkdir -p ${folder}; cp -rL ${unpacked}/usr/share/wordpress/. ${folder}
    cp -rL ${unpacked}/var/lib/wordpress/wp-content/. ${folder}/wp-content`)
  await customer.put(folder, {
    'wp-config.php': `<?php
define('DB_NAME', '${name}');
define('DB_USER', '${name}');
define('DB_PASSWORD', '${password}');
define('DB_HOST', 'localhost');
define('DB_CHARSET', 'utf8mb4');
define('DB_COLLATE', '');
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('DISABLE_WP_CRON', true);
$table_prefix = '${below === '' ? 'wp_' : 'below_'}';
defined('ABSPATH') || define('ABSPATH', __DIR__ . '/');
require_once ABSPATH . 'wp-settings.php';
`,
  })
  const fields = {
    ...{ weblog_title: 'Shop', user_name: owner.user, admin_email: 'boss@blog.example' },
    ...{ admin_password: owner.password, admin_password2: owner.password, pw_weak: 'on' },
    ...{ blog_public: '0', language: '' },
  }
  const done = await visitor.ask(`${below}/wp-admin/install.php?step=2`, ...form(fields))
  t.match(done, /Success!/, done.slice(-2_000))
  t.match(await visitor.ask(`${below}/`), 'Hello world!')
  t.match(await visitor.look(`${below}/wp-config.php`), '404')
}

async function signIn(t: Test, { boss, below, domain, visitor }: Blog): Promise<void> {
  const admin = `http://${domain}${below}/wp-admin/`
  t.match(await visitor.look(`${below}/wp-admin/`, 'location'), /^302 .*wp-login\.php/)
  await boss.ask(`${below}/wp-login.php`)
  const fields = { log: owner.user, pwd: owner.password, testcookie: '1', redirect_to: admin }
  t.equal(await boss.look(`${below}/wp-login.php`, 'location', ...form(fields)), `302 ${admin}`)
  t.match(await boss.ask(`${below}/wp-admin/`), 'wp-admin-bar')
}

async function setPermalinks(t: Test, { boss, below, visitor }: Blog): Promise<void> {
  const path = `${below}/wp-admin/options-permalink.php`
  const structure = '/%year%/%monthnum%/%postname%/'
  const fields = {
    _wpnonce: hiddenField(await boss.ask(path), '_wpnonce'),
    ...{ _wp_http_referer: path, permalink_structure: structure, selection: structure },
  }
  await boss.ask(path, ...form(fields))
  const [{ link }] = JSON.parse(await visitor.ask(`${below}/wp-json/wp/v2/posts`))
  t.match(link, new RegExp(`${below}/\\d{4}/\\d\\d/hello-world/$`))
  t.match(await visitor.ask(link), /<title>Hello world!/)
  t.match(await visitor.ask(new URL('feed/', link).href), '<rss')
  t.equal(await visitor.look(`${below}/no/such/post/`), '404')
}

const nonceOf = ({ boss, below }: Blog) =>
  boss.ask(`${below}/wp-admin/admin-ajax.php?action=rest-nonce`)

async function useRest(t: Test, blog: Blog): Promise<void> {
  const { boss, below, visitor } = blog
  const words = ['-H', `X-WP-Nonce: ${await nonceOf(blog)}`]
  const fields = form({ title: 'By REST', content: 'Text', status: 'publish' })
  const { id } = JSON.parse(await boss.ask(`${below}/wp-json/wp/v2/posts`, ...words, ...fields))
  const path = `${below}/wp-json/wp/v2/posts/${id}`
  t.match(await visitor.ask(path), 'By REST')
  t.match(await visitor.look(path, 'none', '-X', 'DELETE'), '401')
  t.match(await boss.look(path, 'none', '-X', 'DELETE', ...words), '200')
}

async function useXmlRpc(t: Test, { below, visitor }: Blog): Promise<void> {
  const value = (text: string) => `<param><value><string>${text}</string></value></param>`
  const params = [owner.user, owner.password].map(value).join('')
  const call = `<methodCall><methodName>wp.getUsersBlogs</methodName><params>${params}</params>`
  const words = ['-H', 'Content-Type: text/xml', '--data', `${call}</methodCall>`]
  t.match(await visitor.ask(`${below}/xmlrpc.php`, ...words), 'blogName')
}

async function uploadImage(t: Test, blog: Blog): Promise<void> {
  const { boss, below, visitor, customer } = blog
  const file = `file=@${await customer.drawPhoto()};type=image/jpeg`
  const words = ['-H', `X-WP-Nonce: ${await nonceOf(blog)}`, '-F', file]
  const media = JSON.parse(await boss.ask(`${below}/wp-json/wp/v2/media`, ...words))
  t.match(await visitor.look(media.source_url, 'content-type'), '200 image/jpeg')
  const { medium } = media.media_details.sizes
  t.match(await visitor.look(medium.source_url, 'content-type'), '200 image/jpeg', 'smaller')
}

/** Uploads an archive of one folder through a form of wp-admin; returns the page that follows. */
async function upload(
  blog: Blog,
  kind: 'plugin' | 'theme',
  folder: string,
  files: Record<string, string>,
): Promise<string> {
  const { customer, boss, below } = blog
  await customer.as(`rm -rf tmp/zip; mkdir -p tmp/zip/${folder}`)
  await customer.put(`tmp/zip/${folder}`, files)
  const names = Object.keys(files).map(name => `${folder}/${name}`)
  const pack = `$z = new ZipArchive; $z->open("tmp/${folder}.zip", 9);
    foreach (explode(" ", "${names.join(' ')}") as $n) $z->addFile("tmp/zip/$n", $n); $z->close();`
  await customer.as(`php -r '${pack}'`)
  const { root } = customer.machine
  const form = await boss.ask(`${below}/wp-admin/${kind}-install.php?upload`)
  const sent = ['-F', `_wpnonce=${hiddenField(form, '_wpnonce')}`]
  const file = ['-F', `${kind}zip=@${root}/home/erin/tmp/${folder}.zip;type=application/zip`]
  return boss.ask(`${below}/wp-admin/update.php?action=upload-${kind}`, ...sent, ...file)
}

async function uploadTheme(t: Test, blog: Blog): Promise<void> {
  const { boss, below, visitor } = blog
  const page = await upload(blog, 'theme', 'plain', {
    'style.css': '/* Theme Name: Plain */',
    'index.php': '<?php while (have_posts()) { the_post(); echo "plain: "; the_title(); }',
  })
  t.match(page, 'Theme installed successfully', page.slice(-2_000))
  const link = /href="([^"]*themes\.php\?action=activate[^"]*)"/.exec(page)?.[1] ?? ''
  await boss.ask(`${below}/wp-admin/${tidy(link)}`)
  t.match(await visitor.ask(`${below}/`), 'plain: Hello world!')
  t.match(await visitor.ask(`${below}/wp-content/themes/plain/style.css`), 'Theme Name')
}

// Links of wp-admin, relative or whole, as a browser follows them.
const tidy = (link: string): string =>
  link
    .replaceAll('&amp;', '&')
    .replaceAll('&#038;', '&')
    .replace(/^.*\/wp-admin\//, '')

const plugin = (version: string): string => `<?php
/* Plugin Name: Sample
   Version: ${version} */
register_activation_hook(__FILE__, fn() => wp_schedule_single_event(time() - 1, 'sample_event'));
add_action('sample_event', fn() => update_option('sample', php_sapi_name()));
if (isset($_GET['sample'])) exit('${version} ' . get_option('sample', 'never'));
`

async function uploadPlugin(t: Test, blog: Blog): Promise<void> {
  const { boss, below, visitor } = blog
  const send = (version: string) =>
    upload(blog, 'plugin', 'sample', {
      'sample.php': plugin(version),
      'sample.css': `/* ${version} */`,
    })
  const page = await send('1.0')
  t.match(page, 'Plugin installed successfully', page.slice(-2_000))
  const link = /href="([^"]*plugins\.php\?action=activate[^"]*)"/.exec(page)?.[1] ?? ''
  await boss.ask(`${below}/wp-admin/${tidy(link)}`)
  const style = `${below}/wp-content/plugins/sample/sample.css`
  t.equal(await visitor.ask(style), '/* 1.0 */')
  for (const version of ['1.1', '1.2']) {
    const asked = await send(version)
    const confirm = /href="([^"]*overwrite=update-plugin[^"]*)"/.exec(asked)?.[1] ?? ''
    const done = await boss.ask(`${below}/wp-admin/${tidy(confirm)}`)
    t.match(done, 'Plugin updated successfully', done.slice(-2_000))
    t.equal(await visitor.ask(style), `/* ${version} */`)
  }
  // PHP looks every two seconds whether a file that it has compiled is another one now.
  t.ok(await until(async () => (await visitor.ask(`${below}/?sample`)) === '1.2 never'))
}

async function runCron(t: Test, blog: Blog): Promise<void> {
  const { customer, below, folder, visitor } = blog
  const job = await customer.panel('cron', 'add', '*/5 * * * *', `php ${folder}/wp-cron.php`)
  await customer.panel('cron', 'run', String(job['id']))
  t.ok(await until(async () => (await visitor.ask(`${below}/?sample`)) === '1.2 cli'))
  await customer.panel('cron', 'rm', String(job['id']), '--yes')
}

// On nginx WordPress writes none; one comes along from a server where it did, and where a plugin
// has added to it.
async function reportRules(t: Test, blog: Blog): Promise<void> {
  const { customer, folder, below, domain } = blog
  const rules = `# BEGIN WordPress
<IfModule mod_rewrite.c>
RewriteEngine On
RewriteRule .* - [E=HTTP_AUTHORIZATION:%{HTTP:Authorization}]
RewriteBase ${below}/
RewriteRule ^index\\.php$ - [L]
RewriteCond %{REQUEST_FILENAME} !-f
RewriteCond %{REQUEST_FILENAME} !-d
RewriteRule . ${below}/index.php [L]
</IfModule>
# END WordPress
<Files xmlrpc.php>
Require all denied
</Files>
`
  await customer.put(folder, { '.htaccess': rules })
  await customer.panel('site', 'recheck', domain)
  const reported = async () => {
    const { stdout } = await customer.machine.run(['panel', 'ctl', 'doctor', '--json'])
    const { checks } = JSON.parse(stdout) as { checks: Record<string, string>[] }
    return checks.find(({ name }) => name === 'websites/htaccess')?.['sentence'] ?? ''
  }
  const expected = `1 Require in ${below}/.htaccess`
  t.ok(await until(async () => (await reported()).includes(expected)), await reported())
  t.match(await customer.readPage(`/account/sites/${domain}`), expected)
  await customer.as(`rm ${folder}/.htaccess`)
}
