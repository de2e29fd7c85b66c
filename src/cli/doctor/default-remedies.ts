import type { Remedy, RemedyPage } from '../../model/server/remedies.ts'

// The remedy of each check, for its findings that have none of their own: an operation, a page, or
// the command of what only root on the machine can do.

const run = (command: string): Remedy => ({ do: 'run', command })
const view = (page: RemedyPage): Remedy => ({ do: 'view', page })

const restart = (unit: string) => run(`systemctl restart ${unit}`)
const psql = (statement: string) => run(`runuser -u postgres -- psql -c "${statement}"`)
const edit = (file: string, then = '') => run(`sensible-editor ${file}${then && ` && ${then}`}`)

const settings = edit('/etc/panel/panel.env', 'systemctl restart panel.target')
const clock = run('timedatectl set-ntp true')
const sshd = '/etc/ssh/sshd_config'
const license = run('panel license install ./license')
const backup: Remedy = { do: 'back-up' }
const repair: Remedy = { do: 'repair' }
const rebuild: Remedy = { do: 'rebuild-server' }
const largest: Remedy[] = [view('largest-accounts'), { do: 'empty-trash' }]
const files = run('du --inodes --one-file-system --max-depth=3 / | sort --numeric-sort | tail')
const onDisks = (what: string, remedies: Remedy[]) =>
  Object.fromEntries(
    ['system', 'homes', 'state', 'database'].map(name => [`disk/${what}-${name}`, remedies]),
  )

/** The remedies by the name of the check. */
export const defaultRemedies: Readonly<Record<string, readonly Remedy[]>> = {
  'settings/readable': [settings],
  'database/reachable': [restart('postgresql')],
  'database/migrations': [restart('panel.target')],
  'database/functions': [restart('panel.target')],
  'database/locks': [run('runuser -u postgres -- psql panel')],
  'database/durability': [
    edit('/etc/postgresql/*/main/postgresql.conf', 'systemctl reload postgresql'),
  ],
  'database/connections': [psql('select pid, usename, state, query from pg_stat_activity')],
  'database/transactions': [
    psql('select pid, usename, query from pg_stat_activity order by xact_start limit 5'),
  ],
  'processes/api': [restart('panel-api')],
  'processes/worker': [restart('panel-worker')],
  'processes/courier': [restart('panel-courier')],
  'installation/release': [run('/opt/panel/current/bin/panel ctl doctor')],
  'installation/update': [run('systemctl start panel-update-resume')],
  'installation/restore': [run('panel ctl doctor --problems')],
  'installation/units': [run('panel install')],
  'installation/reverse-proxy': [run('panel install')],
  'queue/paused': [view('paused-tasks')],
  'queue/failed-jobs': [view('failed-jobs')],
  'queue/late-jobs': [view('waiting-jobs'), restart('panel-worker panel-courier')],
  'queue/dead-workers': [restart('panel-worker')],
  'queue/slow-jobs': [view('running-jobs')],
  'queue/old-operations': [view('running-jobs')],
  'queue/interrupted-operations': [
    view('running-jobs'),
    run('journalctl --unit panel-worker --since -1h'),
  ],
  'queue/blocked-operations': [restart('panel-worker')],
  'queue/failed-operations': [view('failed-jobs')],
  'queue/schedule': [view('paused-tasks'), restart('panel-worker')],
  'queue/hook-scripts': [view('failed-hook-runs')],
  'names/users': [view('accounts')],
  'names/websites': [view('shared-parents')],
  'webhooks/failing': [view('webhooks')],
  'webhooks/failed-deliveries': [view('failed-deliveries')],
  'webhooks/backlog': [view('deliveries'), restart('panel-courier')],
  'webhooks/authorities': [edit('/etc/panel/panel.env', 'systemctl restart panel-courier')],
  'webhooks/secrets': [view('webhooks')],
  'license/valid': [license],
  'license/expiry': [license],
  'license/accounts': [license],
  'backups/age': [backup],
  'backups/paused': [run('panel ctl dr-restore --release')],
  'services/nginx-configuration': [run('nginx -t')],
  'services/nginx-running': [{ do: 'start-service', service: 'nginx' }],
  'services/nginx-includes': [edit('/etc/nginx/nginx.conf', 'systemctl reload nginx')],
  'services/nginx-shared': [rebuild],
  'services/nginx-proxies': [rebuild],
  'services/nginx-reloaded': [rebuild],
  'services/cron-running': [{ do: 'start-service', service: 'cron' }],
  'services/sshd-configuration': [run('sshd -t')],
  'services/sshd-running': [{ do: 'start-service', service: 'ssh' }],
  'services/sftp-locked-in': [rebuild],
  'services/sftp-in-effect': [
    run(`sed -i '1i Include /etc/ssh/sshd_config.d/*.conf' ${sshd} && systemctl reload ssh`),
  ],
  'services/php': [run('apt-get install php-fpm')],
  'services/php-default': [run('panel php ls')],
  'services/php-versions': [run('panel php ls')],
  'services/php-sockets': [rebuild],
  'services/php-units': [run('systemctl --failed')],
  'services/control-groups': [edit('/etc/default/grub', 'update-grub')],
  'services/operating-system': [run('cat /etc/os-release')],
  'services/restart-due': [run('systemctl reboot')],
  'mariadb/running': [{ do: 'start-service', service: 'mariadb' }],
  'mariadb/settings': [run('panel install --databases')],
  'mail/relay': [view('mail-relay')],
  'mail/own': [view('mail-relay')],
  'mail/programs': [rebuild],
  'mail/service': [{ do: 'start-service', service: 'panel-submit' }],
  'mail-server/configuration': [rebuild],
  'mail-server/running': [rebuild],
  'websites/htaccess': [view('accounts')],
  'websites/readable': [view('accounts')],
  'certificates/expiry': [view('accounts')],
  'certificates/failed': [view('accounts')],
  'certificates/overdue': [restart('panel-worker panel-courier')],
  'certificates/files': [run('panel ctl rebuild')],
  'certificates/present': [restart('panel-worker')],
  'certificates/orphaned': [run('ls -l /var/lib/panel/certificates')],
  ...onDisks('space', largest),
  ...onDisks('files', [files]),
  'disk/accounts': [view('largest-accounts')],
  'disk/access-log': [run('logrotate -d /etc/logrotate.conf')],
  'disk/trash': [{ do: 'empty-trash' }, run('journalctl --unit panel-worker --since -1d')],
  'quota/file-system': [edit('/etc/fstab', 'systemctl reboot')],
  'quota/limits': [rebuild],
  'permissions/key': [run('ls -l /etc/panel')],
  'permissions/settings': [repair],
  'permissions/state-folder': [repair],
  'permissions/first-start': [repair],
  'permissions/logs': [repair],
  'permissions/nginx-logs': [repair],
  'permissions/vendor': [repair],
  'permissions/license': [repair],
  'permissions/folders': [repair],
  'permissions/certificates': [repair],
  'permissions/processes': [restart('cron')],
  'permissions/sftp-keys': [run('ls -lR /etc/panel/keys')],
  'permissions/hook-scripts': [run('ls -lR /etc/panel/hooks')],
  'permissions/hook-folders': [run('ls -l /etc/panel/hooks')],
  'clock/database': [clock],
  'clock/steady': [run('timedatectl status')],
  'clock/records': [clock],
  'clock/synchronized': [clock],
  'dns/resolver': [edit('/etc/resolv.conf')],
  'dns/own-name': [settings],
  'dns/addresses': [settings],
  'dns/websites': [view('accounts')],
  'ports/panel': [restart('panel-api')],
  'ports/clear-text': [settings],
  'ports/http': [run('ss -ltnp')],
  'ports/https': [restart('nginx')],
  'ports/ssh': [{ do: 'start-service', service: 'ssh' }],
  'versions/node': [run('panel update')],
  'versions/postgresql': [run('pg_lsclusters')],
  'drift/accounts': [run('panel ctl rebuild')],
  'drift/not-applied': [run('panel ctl rebuild')],
  'drift/warnings': [run('panel ctl rebuild')],
  'drift/websites': [rebuild],
  'drift/users': [run('getent group')],
  'drift/processes': [run('panel ctl rebuild')],
  'drift/leftovers': [repair],
}
