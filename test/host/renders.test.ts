import t from 'tap'
import * as shared from '../../src/host/web/nginx-shared.ts'
import { renderPool } from '../../src/host/php/fpm.ts'
import { renderService, renderSocket } from '../../src/host/php/unit.ts'
import { renderSshd } from '../../src/host/access/sftp.ts'
import { renderSlice } from '../../src/host/accounts/slice.ts'
import { renderActive, renderSuspended } from '../../src/host/web/vhost.ts'
import { alice } from './fixtures/sandbox.ts'

const vhost = {
  siteId: '7',
  domain: 'alice.example',
  username: 'alice',
  uid: 20_001,
  certificate: undefined,
}

t.test('an active vhost serves its own folder and its own PHP', async t => {
  t.equal(
    renderActive(vhost),
    `# Site 7 of user 20001. Written by the panel, which overwrites changes.
server {
    include /etc/nginx/panel/listen.conf;
    server_name alice.example www.alice.example;
    set $panel_site 7;
    access_log /var/log/nginx/panel-access.log panel;
    include /etc/nginx/panel/challenge.conf;

    root /home/alice/sites/alice.example/public;
    index index.php index.html;
    # A link to a neighbour's file is not served.
    disable_symlinks if_not_owner;

    location / {
        try_files $uri $uri/ /index.php$is_args$args;
    }

    location ~ /\\. {
        return 404;
    }

    location ~ \\.php$ {
        try_files $uri =404;
        include /etc/nginx/fastcgi_params;
        fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name;
        # A request's Proxy header would become the variable that clients take their proxy from.
        fastcgi_param HTTP_PROXY "";
        fastcgi_pass unix:/run/panel/php/20001.sock;
    }
}
`,
  )
})

t.test('a suspended vhost serves one page, keeps no cache and reads no home', async t => {
  const text = renderSuspended(vhost)
  t.match(text, 'server_name alice.example www.alice.example;')
  t.match(text, 'include /etc/nginx/panel/challenge.conf;')
  t.match(text, 'return 503;')
  t.match(text, 'add_header Retry-After 3600 always;')
  t.match(text, 'add_header Cache-Control no-store always;')
  t.notMatch(text, /home|fastcgi/)
})

t.test('a site with a certificate is served by https as well, suspended or not', async t => {
  const certificate = '/var/lib/panel/certificates/7/a.pem'
  for (const render of [renderActive, renderSuspended]) {
    t.match(
      render({ ...vhost, certificate }),
      `    include /etc/nginx/panel/challenge.conf;
    include /etc/nginx/panel/tls.conf;
    ssl_certificate ${certificate};
    ssl_certificate_key ${certificate};
`,
    )
  }
  t.match(shared.renderTls(true), /^listen 443 ssl;\nlisten \[::\]:443 ssl;\n/)
  t.notMatch(shared.renderTls(false), /\[::\]/)
  t.match(shared.renderShared(true), 'listen [::]:443 ssl default_server;')
  t.match(shared.renderShared(false), /443 ssl default_server;\n.*\n.*ssl_reject_handshake on;/)
})

t.test('a challenge is answered with the thumbprint, or not at all', async t => {
  const found = 'location ~ "^/\\.well-known/acme-challenge/([A-Za-z0-9_-]{16,128})$" {'
  t.match(shared.renderChallenge('abc'), found)
  t.match(shared.renderChallenge('abc'), 'return 200 "$1.abc";')
  t.match(shared.renderChallenge(undefined), 'return 404;')
})

t.test('a name that no site has is answered 421', async t => {
  t.match(
    shared.renderShared(true),
    /listen 80 default_server;\n {4}listen \[::\]:80 default_server;/,
  )
  t.match(shared.renderShared(true), 'return 421;')
  t.notMatch(shared.renderShared(false), /\[::\]/)
  t.equal(shared.renderListen(true), 'listen 80;\nlisten [::]:80;\n')
  t.equal(shared.renderListen(false), 'listen 80;\n')
})

t.test('a test reads what the machine reads, and what is staged', async t => {
  t.match(shared.renderShared(false), 'include /etc/nginx/panel/sites/*.conf;')
  const own = 'events {}\nhttp {\n\tinclude /etc/nginx/conf.d/*.conf;\n\tinclude more/*;\n}\n'
  const check = shared.renderCheck(own)
  t.match(
    check,
    '\tinclude /etc/nginx/conf.d/*.conf;\n    include /etc/nginx/panel/staging/*.conf;\n',
  )
  t.match(check, '\tinclude more/*;\n')
  t.match(shared.renderCheck(undefined), 'include /etc/nginx/panel/staging/*.conf;')
  t.throws(
    () => shared.renderCheck('http {\n# include conf.d/*.conf;\n}'),
    /would serve no website/,
  )
})

t.test('PHP stays in the home and within the memory', async t => {
  t.match(renderPool(alice), '[20001]\nlisten = /run/panel/php/20001.sock\n')
  t.match(renderPool(alice), '= /home/alice/sites:/home/alice/files:/home/alice/tmp\n')
  const childrenFor = (memoryMb: number) =>
    /max_children = (.*)/.exec(renderPool({ ...alice, limits: { ...alice.limits, memoryMb } }))?.[1]
  t.strictSame([32, 512, 1_048_576].map(childrenFor), ['2', '8', '50'])
})

t.test('the units run PHP as the account, in its slice, and test before they start', async t => {
  const service = renderService('php-fpm8.2')
  for (const line of ['User=%i', 'Slice=user-%i.slice', 'OOMPolicy=continue'])
    t.match(service, line)
  t.match(service, 'ExecStartPre=/usr/sbin/php-fpm8.2 -t -y /etc/panel/php/%i.conf\n')
  t.match(renderSocket(), 'SocketUser=www-data\nSocketMode=0600\n')
})

t.test('a slice limits memory, CPU and processes', async t => {
  t.equal(
    renderSlice(alice),
    `# Limits of user 20001. Written by the panel, which overwrites changes.
[Slice]
MemoryMax=128M
MemorySwapMax=0
CPUQuota=50%
TasksMax=200
`,
  )
})

t.test('SFTP is for one group, locked into the home, with keys that only root writes', async t => {
  const text = renderSshd()
  t.match(text, 'Match Group panel-sftp\n    ChrootDirectory /home/%u\n')
  t.match(text, 'ForceCommand internal-sftp ')
  t.match(text, 'AuthorizedKeysFile /etc/panel/keys/%U\n')
  t.notMatch(text, /^Subsystem/m)
})
