import t from 'tap'
import { renderPool } from '../../src/host/php/pool.ts'
import { renderService, renderSocket } from '../../src/host/php/unit.ts'
import { renderSshd } from '../../src/host/access/sftp.ts'
import { renderSlice } from '../../src/host/accounts/slice.ts'
import {
  hasHttp2Directive,
  renderNginx,
  userIn,
  whyNotIncluded,
  withUser,
  type NginxTraits,
} from '../../src/host/web/nginx.ts'
import { alice } from '../support/host/sandbox.ts'

const old = {
  hasIpv6: true,
  hasHttp2Directive: false,
  hasBrotli: false,
  setsVariables: false,
  trustedProxies: [],
  mailHost: null,
}
const render = (traits: Partial<NginxTraits> = {}) => renderNginx({ ...old, ...traits })

t.test('nginx listens on all addresses that the machine has', async t => {
  t.match(render(), '    listen 80 default_server;\n    listen [::]:80 default_server;\n')
  t.match(render(), '    listen 443 ssl http2;\n    listen [::]:443 ssl http2;\n')
  t.match(render(), '    listen [::]:443 ssl http2 default_server;\n')
  t.notMatch(render({ hasIpv6: false }), /\[::\]/)
  const newer = render({ hasHttp2Directive: true })
  t.match(newer, '    listen [::]:443 ssl;\n    http2 on;\n')
  t.notMatch(newer, 'ssl http2')
})

t.test('how HTTP/2 is switched on goes by the installed version', t => {
  const status = (version: string) =>
    `Package: nginx\nStatus: install ok installed\nArchitecture: amd64\nVersion: ${version}\n\n` +
    'Package: nginx-common\nVersion: 9.9.9-1\n'
  t.equal(hasHttp2Directive(status('1.22.1-9+deb12u3')), false)
  t.equal(hasHttp2Directive(status('1.25.1-1')), true)
  t.equal(hasHttp2Directive(status('1.26.3-3+deb13u1')), true)
  t.equal(hasHttp2Directive(undefined), false)
  t.end()
})

t.test('its user is its own in the machine’s configuration, and nothing else changes', async t => {
  const own = '# mine\nuser www-data;\nworker_processes auto;\nhttp { include conf.d/*.conf; }\n'
  const changed = withUser(own, 'panel-web')
  t.equal(changed, own.replace('www-data', 'panel-web'))
  t.equal(userIn(changed), 'panel-web')
  t.equal(withUser('events {}\n', 'panel-web'), 'user panel-web;\nevents {}\n')
  t.equal(userIn('# user www-data;\n'), undefined)
})

t.test('a machine whose nginx would not read it gets an error', async t => {
  t.equal(whyNotIncluded('http {\n\tinclude /etc/nginx/conf.d/*.conf;\n}\n'), undefined)
  t.equal(whyNotIncluded(undefined), undefined)
  t.match(whyNotIncluded('http {\n# include conf.d/*.conf;\n}'), /no website would be served/)
})

t.test('PHP stays in the home and within the memory', async t => {
  t.match(renderPool(alice), '[20001]\nlisten = /run/panel/php/20001.sock\n')
  t.match(renderPool(alice), '= /home/alice/sites:/home/alice/files:/home/alice/tmp\n')
  const childrenFor = (memoryMb: number) =>
    /max_children = (.*)/.exec(renderPool({ ...alice, limits: { ...alice.limits, memoryMb } }))?.[1]
  t.strictSame([32, 512, 1_048_576].map(childrenFor), ['2', '8', '50'])
})

t.test('PHP takes what customers expect, within the package', async t => {
  const text = (memoryMb: number) => renderPool({ ...alice, limits: { ...alice.limits, memoryMb } })
  t.match(text(1_024), 'php_value[memory_limit] = 256M\n')
  t.match(text(256), 'php_value[memory_limit] = 256M\n')
  t.match(text(64), 'php_value[memory_limit] = 64M\n')
  t.match(text(64), 'request_terminate_timeout = 300s\n')
  for (const line of ['upload_max_filesize] = 128M', 'post_max_size] = 128M'])
    t.match(text(64), line)
})

t.test(
  'PHP says what it has to say in its own log, and its scripts may choose another',
  async t => {
    const text = renderPool(alice)
    t.match(text, 'error_log = /home/alice/logs/php.log\nlog_level = warning\n')
    t.match(text, 'catch_workers_output = yes\n')
    t.match(text, 'php_value[error_log] = /home/alice/logs/php.log\n')
  },
)

t.test('the units run PHP as the account, in its slice, started as often as asked', async t => {
  const service = renderService('php-fpm8.2')
  for (const line of ['User=%i', 'Slice=user-%i.slice', 'OOMPolicy=continue'])
    t.match(service, line)
  t.match(service, 'ExecStart=/usr/sbin/php-fpm8.2 --nodaemonize -y /etc/panel/php/%i.conf\n')
  t.match(service, 'StandardOutput=null\nStandardError=null\n')
  for (const unit of [service, renderSocket()]) t.match(unit, 'StartLimitIntervalSec=0\n')
  t.match(renderSocket(), 'TriggerLimitIntervalSec=0\n')
  t.match(renderSocket(), 'SocketUser=panel-web\nSocketMode=0600\n')
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
