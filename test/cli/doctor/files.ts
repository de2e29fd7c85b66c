import * as fs from 'node:fs'
import { join } from 'node:path'
import { makeAuthority, makeKeys, toPem } from '../../support/authority.ts'
import type { WholePanel } from '../../support/cli/whole-panel.ts'
import { made, old, text, tool } from './breaking.ts'
import type { Staged } from './staged.ts'

// Problems of the machine: tools, their files, certificates, drift.

const hour = 3_600
const name = 'served.pem'

export async function brokenFiles({ root, pool, zone }: WholePanel): Promise<Staged[]> {
  const at = (path: string) => join(root, path)
  const { rows } = await pool.query('select id from panel.sites order by id limit 1')
  const siteId = String(rows[0].id)

  const served = async (days: number, isOther = false) => {
    const authority = await makeAuthority()
    const [keys, others] = await Promise.all([makeKeys(), makeKeys()])
    const chain = await authority.sign((isOther ? others : keys).publicKey, {
      names: ['alice.example'],
      fromDay: -30,
      toDay: days,
    })
    const folder = at(`var/lib/panel/certificates/${siteId}`)
    return async (fileMode = 0o600) => {
      fs.mkdirSync(folder, { mode: 0o700 })
      fs.writeFileSync(join(folder, name), (await toPem(keys)) + chain)
      fs.chmodSync(join(folder, name), fileMode)
      return () => fs.rmSync(folder, { recursive: true })
    }
  }
  const sparse = (path: string, bytes: number) => () => {
    const mend = made(path)()
    fs.truncateSync(path, bytes)
    return mend
  }

  const joined = text(at('etc/group'), content =>
    content.replace(/^(panel-sftp:.*)$/m, '$1,mallory'),
  )
  return [
    {
      check: 'services/nginx-configuration',
      state: 'failure',
      words: /unknown directive "listn"/,
      broken: tool(root, 'nginx', `echo 'nginx: [emerg] unknown directive "listn"' >&2; exit 1`),
    },
    {
      check: 'services/nginx-running',
      state: 'failure',
      words: /nginx is not running/,
      broken: tool(root, 'systemctl', 'exit 3'),
    },
    {
      check: 'services/nginx-includes',
      state: 'failure',
      words: /does not include conf\.d/,
      broken: text(at('etc/nginx/nginx.conf'), () => 'events {}\nhttp {}\n'),
    },
    {
      check: 'services/nginx-shared',
      state: 'failure',
      words: /conf\.d\/panel\.conf/,
      broken: text(at('etc/nginx/conf.d/panel.conf'), content => `${content}# mine\n`),
    },
    {
      check: 'services/nginx-reloaded',
      state: 'warning',
      words: /a reload is over a minute late/,
      broken: old(at('run/panel/nginx-stale'), hour),
    },
    {
      check: 'services/sshd-configuration',
      state: 'failure',
      words: /Bad configuration option/,
      broken: tool(root, 'sshd', 'echo Bad configuration option >&2; exit 255'),
    },
    {
      check: 'services/sshd-running',
      state: 'failure',
      words: /sshd is not running/,
      broken: tool(root, 'systemctl', 'case "$*" in *ssh*) exit 3;; esac'),
    },
    {
      check: 'services/sftp-locked-in',
      state: 'failure',
      words: /was changed or removed/,
      broken: text(at('etc/ssh/sshd_config.d/60-panel.conf'), content =>
        content.replace('ChrootDirectory', '# ChrootDirectory'),
      ),
    },
    {
      check: 'services/sftp-in-effect',
      state: 'failure',
      words: /not locked in/,
      broken: tool(root, 'sshd', 'echo permitrootlogin yes'),
    },
    {
      check: 'services/php-units',
      state: 'warning',
      words: /panel-php@20001\.service/,
      broken: tool(
        root,
        'systemctl',
        'case "$1" in list-units) echo panel-php@20001.service x;; esac',
      ),
    },
    {
      check: 'services/control-groups',
      state: 'warning',
      words: /does not limit memory:/,
      broken: () => {
        fs.rmdirSync(at('sys/fs/cgroup/memory'))
        return () => fs.mkdirSync(at('sys/fs/cgroup/memory'))
      },
    },
    {
      check: 'services/operating-system',
      state: 'warning',
      words: /is Windows/,
      broken: text(at('usr/lib/os-release'), () => 'ID=windows\nPRETTY_NAME="Windows"\n'),
    },
    {
      check: 'services/restart-due',
      state: 'warning',
      words: /needs a reboot/,
      broken: made(at('run/reboot-required')),
    },
    {
      check: 'certificates/files',
      state: 'failure',
      words: /it has expired/,
      broken: await served(-1),
    },
    {
      check: 'certificates/files',
      state: 'failure',
      words: /its key does not match/,
      broken: await served(30, true),
    },
    {
      check: 'certificates/orphaned',
      state: 'warning',
      words: /no account has: 999/,
      broken: made(at('var/lib/panel/certificates/999/request.key')),
    },
    {
      check: 'permissions/certificates',
      state: 'failure',
      words: new RegExp(`${siteId}/${name}`),
      broken: async () => (await served(30))(0o644),
      fixed: /closed/,
    },
    {
      check: 'permissions/nginx-logs',
      state: 'warning',
      words: /may read \/var\/log\/nginx\/access\.log\.1/,
      broken: made(at('var/log/nginx/access.log.1'), '', 0o644),
      fixed: /closed/,
    },
    {
      check: 'disk/access-log',
      state: 'warning',
      words: /has 3\.0 GiB/,
      broken: sparse(at('var/log/nginx/panel-access.log'), 3 * 2 ** 30),
    },
    {
      check: 'disk/trash',
      state: 'warning',
      words: /still there: carol/,
      async broken() {
        const age = (hours: number) =>
          pool.query(
            `update panel.accounts set terminated_at = now() - $1 * interval '1 hour'
             where state = 'terminated'`,
            [hours],
          )
        await age(1_000)
        return () => age(1)
      },
    },
    {
      check: 'quota/file-system',
      state: 'warning',
      words: /not enforced: .*no quota/,
      broken: tool(root, 'repquota', 'echo repquota: no quota >&2; exit 1'),
    },
    {
      check: 'quota/limits',
      state: 'failure',
      words: /package for alice/,
      broken: text(at('var/lib/panel/quota/20000'), () => '1 1 1 1\n'),
    },
    {
      check: 'clock/synchronized',
      state: 'warning',
      words: /The clock is not synchronized/,
      broken: tool(root, 'timedatectl', 'echo no'),
    },
    {
      check: 'clock/steady',
      state: 'warning',
      words: /was changed by \d+ ms/,
      broken() {
        const now = Date.now
        const set = performance.now() + 100
        Date.now = () => now() + (performance.now() > set ? 60_000 : 0)
        return () => (Date.now = now)
      },
    },
    {
      check: 'versions/node',
      state: 'warning',
      words: /Node is 24\.7\.0; the release was tested with 24/,
      broken() {
        const { node } = process.versions
        const say = (value: string) =>
          Object.defineProperty(process, 'versions', {
            value: { ...process.versions, node: value },
          })
        say('24.7.0')
        return () => say(node)
      },
    },
    {
      check: 'dns/own-name',
      state: 'warning',
      words: /points to 11\.1\.1\.1, which is not this server/,
      broken() {
        const before = zone['panel.example.com']!
        zone['panel.example.com'] = ['11.1.1.1']
        return () => (zone['panel.example.com'] = before)
      },
    },
    {
      check: 'drift/accounts',
      state: 'failure',
      words: /differs from the database for alice/,
      broken() {
        const link = at('var/lib/panel/web/names/www.alice.example')
        const target = fs.readlinkSync(link)
        fs.rmSync(link)
        return () => fs.symlinkSync(target, link)
      },
    },
    {
      check: 'drift/websites',
      state: 'failure',
      words: /no account has: 999/,
      broken: made(at('var/lib/panel/web/live/0000000999')),
    },
    {
      check: 'drift/users',
      state: 'warning',
      words: /panel's groups: mallory/,
      advice: /^gpasswd -d mallory panel-sftp, after checking/,
      broken: joined,
    },
    {
      check: 'drift/users',
      state: 'warning',
      words: /panel's groups: mallory/,
      advice: /^userdel mallory, after checking/,
      broken() {
        const user = 'mallory:x:999:999::/:/bin/false'
        const mends = [text(at('etc/passwd'), content => `${content}${user}\n`)(), joined()]
        return () => mends.forEach(mend => mend())
      },
    },
    {
      check: 'drift/leftovers',
      state: 'warning',
      words: /\.7\.conf\.new/,
      broken: old(at('etc/panel/php/.7.conf.new'), 2 * hour),
      fixed: /removed 1 file/,
    },
  ]
}
