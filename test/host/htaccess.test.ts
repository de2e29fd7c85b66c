import t from 'tap'
import { engineIn, unappliedIn } from '../../src/host/web/htaccess/unapplied.ts'

// Finds the directives of an .htaccess that have no effect here, and those worth reporting.

const read = (text: string, given: Partial<Parameters<typeof unappliedIn>[1]> = {}) =>
  unappliedIn(text, { folder: '', servesSources: false, fallback: 'index.php', ...given })

const wordpress = `
# BEGIN WordPress
<IfModule mod_rewrite.c>
RewriteEngine On
RewriteRule .* - [E=HTTP_AUTHORIZATION:%{HTTP:Authorization}]
RewriteBase /
RewriteRule ^index\\.php$ - [L]
RewriteCond %{REQUEST_FILENAME} !-f
RewriteCond %{REQUEST_FILENAME} !-d
RewriteRule . /index.php [L]
</IfModule>
# END WordPress`

const laravel = `
<IfModule mod_rewrite.c>
    <IfModule mod_negotiation.c>
        Options -MultiViews -Indexes
    </IfModule>
    RewriteEngine On
    RewriteCond %{HTTP:Authorization} .
    RewriteRule .* - [E=HTTP_AUTHORIZATION:%{HTTP:Authorization}]
    RewriteCond %{REQUEST_FILENAME} !-d
    RewriteCond %{REQUEST_URI} (.+)/$
    RewriteRule ^ %1 [L,R=301]
    RewriteCond %{REQUEST_FILENAME} !-d
    RewriteCond %{REQUEST_FILENAME} !-f
    RewriteRule ^ index.php [L]
</IfModule>`

const drupal = `
<FilesMatch "\\.(engine|inc|install)$">
  <IfModule mod_authz_core.c>
    Require all denied
  </IfModule>
  <IfModule !mod_authz_core.c>
    Order allow,deny
  </IfModule>
</FilesMatch>
Options -Indexes
ErrorDocument 404 /index.php
DirectoryIndex index.php index.html index.htm
RewriteEngine on
RewriteRule "/\\.|^\\.(?!well-known/)" - [F]
RewriteCond %{REQUEST_FILENAME} !-f
RewriteCond %{REQUEST_FILENAME} !-d
RewriteCond %{REQUEST_URI} !=/favicon.ico
RewriteRule ^ index.php [L]`

const multisite = `RewriteEngine On
RewriteBase /
RewriteRule ^index\\.php$ - [L]
RewriteRule ^wp-admin$ wp-admin/ [R=301,L]
RewriteCond %{REQUEST_FILENAME} -f [OR]
RewriteCond %{REQUEST_FILENAME} -d
RewriteRule ^ - [L]
RewriteRule ^(wp-(content|admin|includes).*) $1 [L]
RewriteRule ^(.*\\.php)$ $1 [L]
RewriteRule . index.php [L]`

t.test('a directive without effect here is not reported', async t => {
  for (const [text, folder = ''] of [
    [''],
    ['# Deny from all\n  # RewriteRule x y'],
    [wordpress],
    [wordpress.replaceAll('\n', '\r\n')],
    [
      wordpress
        .replace('RewriteBase /', 'RewriteBase /blog/')
        .replace('/index.php', '/blog/index.php'),
      '/blog',
    ],
    ['RewriteRule ^a$ b', ''],
    ['RewriteEngine On\nRewriteEngine Off\nRewriteRule ^a$ b'],
    ['Options -Indexes +FollowSymLinks\nOrder allow,deny\nAllow from all\nRequire all granted'],
    ['<Files .htaccess>\nDeny from all\n</Files>'],
    ['<Files ~ "^\\.ht">\norder deny,allow\ndeny from all\n</Files>'],
    ['<FilesMatch "^\\.(htaccess|htpasswd)$">\nDeny from all\n</FilesMatch>'],
    ['<FilesMatch "^\\.">\nRequire all denied\n</FilesMatch>'],
    ['<FilesMatch "\\.(sql|inc|phtml)$">\nRequire all denied\n</FilesMatch>'],
    ['<Files wp-config.php>\nRequire all denied\n</Files>'],
    ['RedirectMatch 404 /\\.git'],
    ['ErrorDocument 404 /404.html\nDirectoryIndex index.php'],
    ['AddType application/wasm .wasm\nAddType text/javascript js mjs\nAddCharset utf-8 .css'],
    ['AddHandler application/x-httpd-php .php'],
    ['SetEnvIf Authorization "(.*)" HTTP_AUTHORIZATION=$1'],
    ['<IfModule !mod_rewrite.c>\nErrorDocument 403 /x\n</IfModule>'],
  ] as [string, string?][]) {
    t.strictSame(read(text, { folder }), {}, text)
  }
  t.strictSame(read(multisite), {})
})

t.test('a directive that denies, rewrites or changes anything else is reported', async t => {
  const table: [text: string, counts: Record<string, number>, folder?: string][] = [
    [laravel, { RewriteRule: 1 }],
    [drupal, { Require: 1 }],
    [wordpress, { RewriteRule: 1 }, '/blog'],
    ['Deny from all', { Deny: 1 }],
    ['REQUIRE ALL DENIED', { Require: 1 }],
    ['Order deny,allow\nDeny from all\nAllow from 192.0.2.1', { Deny: 1, Allow: 1 }],
    [
      'AuthType Basic\nAuthName "a b"\nAuthUserFile /x\nRequire valid-user',
      { AuthType: 1, Require: 1 },
    ],
    ['<Files xmlrpc.php>\nDeny from all\n</Files>', { Deny: 1 }],
    ['<FilesMatch "\\.(sql|exe)$">\nDeny from all\n</FilesMatch>', { Deny: 1 }],
    ['<FilesMatch "^\\.|admin">\nDeny from all\n</FilesMatch>', { Deny: 1 }],
    ['php_flag engine off\nphp_value memory_limit 1G', { php_flag: 1, php_value: 1 }],
    ['Redirect 301 /a /b\nRedirectMatch 404 \\.sql$', { Redirect: 1, RedirectMatch: 1 }],
    ['Options +Indexes\nOptions All', { Options: 2 }],
    ['DirectoryIndex index.html index.php', { DirectoryIndex: 1 }],
    ['DirectoryIndex start.php', { DirectoryIndex: 1 }],
    ['ErrorDocument 403 /403.html\nErrorDocument 404 "none"', { ErrorDocument: 2 }],
    ['AddType application/x-httpd-php .php .html', { AddType: 1 }],
    ['AddHandler application/x-httpd-php74 .php', { AddHandler: 1 }],
    [
      'Header set X-Frame-Options DENY\nExpiresActive On\nExpiresDefault "access plus 1 day"',
      {
        ...{ Header: 1, ExpiresDefault: 1 },
      },
    ],
    ['Header \\\n set A b', { Header: 1 }],
    ['Curious thing', { others: 1 }],
    ['RewriteEngine On\nRewriteRule ^old$ /new [R=301,L]', { RewriteRule: 1 }],
    ['RewriteEngine On\nRewriteRule ^ - [F]', { RewriteRule: 1 }],
    ['RewriteEngine On\nRewriteRule . index.php [L]', { RewriteRule: 1 }],
    [
      'RewriteEngine On\nRewriteCond %{HTTPS} off\nRewriteRule ^(.*)$ https://%{HTTP_HOST}/$1 [R]',
      {
        RewriteRule: 1,
      },
    ],
    [wordpress.replace('. /index.php', '. /other.php'), { RewriteRule: 1 }],
    [wordpress.replace('!-d', '!-x'), { RewriteRule: 1 }],
  ]
  for (const [text, counts, folder = ''] of table) {
    t.strictSame(read(text, { folder }), counts, text)
  }
  const dumps = '<FilesMatch "\\.(sql|inc)$">\nDeny from all\n</FilesMatch>'
  t.strictSame(read(dumps, { servesSources: true }), { Deny: 1 }, 'as they are open')
  const dots = '<Files .env>\nDeny from all\n</Files>'
  t.strictSame(read(dots, { servesSources: true }), {})
})

t.test('patterns, orders and sections are reported as Apache follows them', async t => {
  const denied = 'Require all denied'
  const inFiles = (pattern: string) => `<FilesMatch "${pattern}">\n${denied}\n</FilesMatch>`
  const rule = (pattern: string) => `RewriteEngine On\nRewriteRule ${pattern} - [F]`
  const table: [text: string, counts: Record<string, number>][] = [
    // A dot that may be missing is no dot.
    [inFiles('^\\.?config\\.txt$'), { Require: 1 }],
    [inFiles('^\\.*'), { Require: 1 }],
    [inFiles('^\\.{0,1}x'), { Require: 1 }],
    [inFiles('\\.?sql$'), { Require: 1 }],
    [inFiles('^\\.+'), {}],
    [inFiles('^\\.x?'), {}],
    [rule('(^|/)\\.?secret'), { RewriteRule: 1 }],
    [rule('(^|/)\\.secret'), {}],
    ['RedirectMatch 404 ^/\\.?secret', { RedirectMatch: 1 }],
    ['RedirectMatch 404 ^/\\.secret', {}],
    // An order that nothing answers refuses everybody.
    ['Order allow,deny', { Order: 1 }],
    ['ORDER Allow,Deny\nOrder allow,deny', { Order: 1 }],
    ['Order mutual-failure', { Order: 1 }],
    ['Order deny,allow', {}],
    ['Order allow,deny\nOrder deny,allow', {}],
    ['Order allow,deny\nDeny from all', { Deny: 1 }],
    ['Allow from all\nOrder allow,deny', {}],
    ['<IfModule a>\nOrder allow,deny\n</IfModule>\nAllow from all', {}],
    ['<Files a>\nOrder allow,deny\n</Files>\nAllow from all', { Order: 1 }],
    ['Order allow,deny\n<Files a>\nAllow from all\n</Files>', { Order: 1 }],
    ['<Limit PUT>\nOrder allow,deny\n</Limit>\nAllow from all', { Order: 1 }],
    ['<Files .env>\nOrder allow,deny\n</Files>', {}],
    ['<IfModule !a>\nOrder allow,deny\n</IfModule>', {}],
    // A request that no user may make is denied.
    ['<RequireNone>\nRequire all granted\n</RequireNone>', { Require: 1 }],
    [
      '<RequireAll>\n<RequireNone>\nRequire all granted\n</RequireNone>\n</RequireAll>',
      { Require: 1 },
    ],
    ['<RequireAny>\nRequire all granted\n</RequireAny>', {}],
    [`<Files .env>\n<RequireNone>\nRequire all granted\n</RequireNone>\n</Files>`, {}],
  ]
  for (const [text, counts] of table) t.strictSame(read(text), counts, text)
})

t.test('a folder without rules of its own inherits those of the folder above', async t => {
  const rule = 'RewriteRule ^a$ b'
  for (const [text, isRewriting, own, count] of [
    [rule, false, undefined, 0],
    [rule, true, undefined, 1],
    [`RewriteEngine Off\n${rule}`, true, false, 0],
    [`RewriteEngine On\n${rule}`, false, true, 1],
    [`# RewriteEngine On\n${rule}`, false, undefined, 0],
  ] as const) {
    t.equal(engineIn(text), own, text)
    t.strictSame(read(text, { isRewriting }), count === 0 ? {} : { RewriteRule: count }, text)
  }
})

t.test('a front controller counts where the website answers such paths otherwise', async t => {
  const rules = (front: string) =>
    `RewriteEngine On
     RewriteRule ^index\\.(php|html)$ - [L]
     RewriteCond %{REQUEST_FILENAME} !-f
     RewriteCond %{REQUEST_FILENAME} !-d
     RewriteRule . ${front} [L]`
  const one = { RewriteRule: 1 }
  for (const [front, folder, inPhp, inHtml, inNone] of [
    ['/index.php', '', {}, one, one],
    ['index.php', '', {}, one, one],
    ['/blog/index.php', '/blog', {}, one, one],
    ['/index.html', '', one, {}, one],
    ['/index.html', '/blog', one, {}, one],
    ['index.html', '/blog', one, one, one],
  ] as const) {
    const found = (['index.php', 'index.html', 'none'] as const).map(fallback =>
      read(rules(front), { folder, fallback }),
    )
    t.strictSame(found, [inPhp, inHtml, inNone], `${front} in ${folder}/`)
  }
  t.strictSame(read(wordpress), {})
  t.strictSame(read(wordpress, { fallback: 'none' }), one)
  for (const [line, fallback, isReported] of [
    ['FallbackResource /index.php', 'index.php', false],
    ['FallbackResource /index.php', 'index.html', true],
    ['FallbackResource /index.html', 'index.html', false],
    ['FallbackResource disabled', 'none', false],
    ['FallbackResource /other.php', 'index.php', true],
    ['ErrorDocument 404 /index.php', 'index.php', false],
    ['ErrorDocument 404 /index.php', 'none', true],
    ['ErrorDocument 404 /404.html', 'none', false],
    ['ErrorDocument 404 /404.html', 'index.html', true],
  ] as const) {
    t.equal(Object.keys(read(line, { fallback })).length > 0, isReported, `${line}, ${fallback}`)
  }
})

t.test('the most frequent is first', async t => {
  const text = 'Deny from all\nHeader set A b\nHeader set B c\n'
  t.strictSame(Object.keys(read(text)), ['Header', 'Deny'])
})

t.test('any file is read within its time limit', async t => {
  const many = 20_000
  for (const text of [
    '\0\x01\x02'.repeat(many),
    '\ufffd'.repeat(many),
    '<a'.padEnd(60_000) + 'x',
    '"a '.repeat(many),
    '\\" '.repeat(many),
    '"\\" '.repeat(many),
    '<Files a>\n'.repeat(many / 2) + 'Deny from all\n'.repeat(many / 10),
    '<FilesMatch "^(' + 'a|'.repeat(many) + ')$">\nDeny from all',
    `<Files ${'.php~'.repeat(many / 2)}.html>\n${'Deny from all\n'.repeat(many / 10)}`,
    `<FilesMatch "\\.(${'inc|'.repeat(many / 3)}inc)$">\n${'Deny from all\n'.repeat(many / 5)}`,
    'RewriteCond a b\n'.repeat(many / 5),
    '</Files>\n'.repeat(many / 5),
    '((((((((((('.repeat(many / 10),
  ]) {
    t.ok(Object.keys(read(text)).every(name => /^\w+$/.test(name)))
  }
  t.strictSame(read('__proto__ a\nconstructor b\n'), { others: 1 })
})
