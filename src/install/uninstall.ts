import { existsSync, readlinkSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { openPool } from '../db.ts'
import { sshdFile } from '../host/access/sftp.ts'
import { trash } from '../host/accounts/trash.ts'
import { adminerUser, webServer } from '../host/accounts/users.ts'
import { webFile as adminerFile } from '../host/adminer/web.ts'
import { erase } from '../host/apply.ts'
import type { Machine } from '../host/contract.ts'
import { settingsFile } from '../host/mariadb/settings.ts'
import { busFile, hidingDropIns } from '../host/services/hidden-processes.ts'
import { journalFile } from '../host/services/journal.ts'
import { mailState, mailUser } from '../host/mail/paths.ts'
import { listNames, removeFolder } from '../host/tools/files.ts'
import { follow } from '../host/tools/follow.ts'
import { CommandError, run } from '../host/tools/run.ts'
import { restoreNginx } from '../host/web/nginx-before.ts'
import { accessLog, sharedFile } from '../host/web/nginx.ts'
import { toHostAccount } from '../model/accounts/host-account.ts'
import type { Observe } from '../model/server/host.ts'
import { listPresent } from '../model/jobs/rebuilds.ts'
import { askPostgres, findCluster, setRules } from './cluster.ts'
import { reverseProxyFile } from './reverse-proxy.ts'
import { removeMail } from './mail.ts'
import { hasDatabases } from './mariadb.ts'
import { lockFile } from './install-lock.ts'
import { panelCommand } from './place-release.ts'
import { readSettings, installedSettings } from './settings-file.ts'
import { isElsewhere, mariadbDropIn, unitFolder, units } from './units.ts'
import { logrotateFile, sysusersFile, tmpfilesFile } from './users.ts'
import { mariaDb } from '../host/mariadb/mariadb.ts'

/** A removal of the panel, and with `isPurge` of accounts, homes and database too. */
export type Removal = { machine: Machine; isPurge: boolean }

type RemovalStep = {
  name: string
  does: string
  /** May return a sentence about what it leaves. */
  act: (removal: Removal) => Promise<string | void>
}

const remove = (...paths: string[]): void => {
  for (const path of paths) rmSync(path, { recursive: true, force: true })
}

const timeout = { timeoutMs: 120_000 }

const stopStep: RemovalStep = {
  name: 'units',
  does: 'Stop the panel and remove its units',
  async act() {
    const known = units.filter(unit => existsSync(`${unitFolder}/${unit}`))
    if (known.length > 0) {
      await run('systemctl', ['disable', '--quiet', '--now', '--', ...known], timeout)
    }
    remove(...units.map(unit => `${unitFolder}/${unit}`), `${unitFolder}/panel-api.service.d`)
    // MariaDB would wait for a worker at each start.
    remove(mariadbDropIn)
    removeFolder(dirname(mariadbDropIn))
    await run('systemctl', ['daemon-reload'], timeout)
  },
}

const reverseProxyStep: RemovalStep = {
  name: 'front',
  does: 'Remove the panel from nginx; websites stay up',
  async act({ machine }) {
    remove(reverseProxyFile, adminerFile)
    const adminer = machine.users.find(adminerUser)
    if (adminer !== undefined) await machine.services.stopPhp(adminer)
    await rereadIfThere('nginx.service', '/usr/sbin/nginx')
  },
}

const accountStep: RemovalStep = {
  name: 'accounts',
  does: 'Remove all accounts with their homes, websites, databases, users and limits',
  async act({ machine }) {
    const url = readSettings(installedSettings)?.['DATABASE_URL']
    if (url === undefined) return
    const pool = openPool(url, 'panel_owner', 1)
    try {
      for (const { record, ...secrets } of await listPresent(pool)) {
        const { databases, ...account } = toHostAccount(record, secrets)
        // Waits for a MariaDB that is down; if it was uninstalled, its databases are gone.
        const isThere = databases !== undefined && machine.part(mariaDb).lack() === undefined
        const all = isThere ? { ...account, databases } : account
        await erase(machine, all, (_step, work) => work())
      }
    } catch (error) {
      // 3D000: an earlier run dropped the database, after its accounts.
      if ((error as { code?: unknown }).code !== '3D000') throw error
    } finally {
      await pool.end()
    }
    remove(trash)
  },
}

const mailStep: RemovalStep = {
  name: 'mail',
  does: 'Stop the mail server, and remove all mailboxes',
  act: ({ machine }) => removeMail(machine),
}

const databaseStep: RemovalStep = {
  name: 'database',
  does: "Drop the database panel and its roles from this server's PostgreSQL",
  async act() {
    const url = readSettings(installedSettings)?.['DATABASE_URL']
    const cluster = await findCluster()
    if (url === undefined) return undefined
    if (isElsewhere(url)) return databaseStays
    if (cluster === undefined) return undefined
    await askPostgres(cluster, dropDatabase)
    await setRules(cluster, [], [])
    return undefined
  },
}

const databaseStays =
  'The database is on another server and was kept: drop its schemas and the roles panel_* there'

const dropDatabase = `
drop database if exists panel with (force);
drop role if exists panel_api, panel_worker, panel_courier;
drop role if exists panel_owner;
`

const sharedStep: RemovalStep = {
  name: 'configuration',
  does: 'Restore the configuration of nginx, sshd, MariaDB and the journal',
  async act({ machine }) {
    const isOfMariaDb = hasDatabases()
    remove(sharedFile, sshdFile, journalFile, settingsFile, busFile, ...hidingDropIns)
    for (const path of hidingDropIns) removeFolder(dirname(path))
    remove(
      ...listNames(unitFolder)
        .filter(isOfPhp)
        .map(name => `${unitFolder}/${name}`),
    )
    await restoreNginx(machine)
    await run('systemctl', ['daemon-reload'], timeout)
    // Not a reload: old processes would keep running as the user to be removed, for as long as a
    // connection stays open.
    await run('systemctl', ['try-restart', '--', 'nginx.service'], timeout)
    // nginx changes the owner of its folders by itself, but of nothing below them.
    const former = machine.users.find(webServer)
    if (former !== undefined && existsSync(nginxState)) {
      await run('chown', ['-R', `--from=${former}`, 'www-data', nginxState])
    }
    await rereadIfThere('ssh.service', '/usr/sbin/sshd')
    await rereadIfThere('cron.service', '/usr/sbin/cron')
    await rereadIfThere('atd.service', '/usr/sbin/atd')
    if (isOfMariaDb) await run('systemctl', ['try-restart', '--', 'mariadb.service'], timeout)
    const logs = accessLog.slice(accessLog.lastIndexOf('/') + 1)
    const folder = accessLog.slice(0, accessLog.lastIndexOf('/'))
    remove(
      ...listNames(folder)
        .filter(name => name.startsWith(logs))
        .map(name => `${folder}/${name}`),
    )
  },
}

const nginxState = '/var/lib/nginx'

const isOfPhp = (name: string): boolean => name.startsWith('panel-php@')

const stateStep: RemovalStep = {
  name: 'state',
  does: `Remove /etc/panel with the key and the hook scripts, /var/lib/panel with the backups \
in it, users and groups`,
  async act() {
    remove(
      '/etc/panel',
      '/var/lib/panel',
      '/run/panel',
      '/var/log/panel',
      mailState,
      '/var/cache/panel-backup',
      '/var/spool/panel',
      sysusersFile,
      tmpfilesFile,
    )
    const processes = ['panel-api', 'panel-courier', 'panel-backup']
    for (const user of [webServer, adminerUser, mailUser, ...processes]) {
      await unlessGone('userdel', user)
    }
    for (const group of ['panel-key', 'panel-sftp', 'panel-closed']) {
      await unlessGone('groupdel', group)
    }
  },
}

const releaseStep: RemovalStep = {
  name: 'releases',
  does: 'Remove /opt/panel and the panel command',
  async act() {
    const caches = ['api', 'worker', 'courier'].map(name => `/var/cache/panel-${name}`)
    remove(logrotateFile, ...caches)
    const target = readlinkIfLink(panelCommand)
    if (target?.startsWith('/opt/panel/')) remove(panelCommand)
    // Last: this program runs from it.
    remove(lockFile, '/opt/panel')
  },
}

/** In order; websites and SFTP, which work without the panel, go last, and only if requested. */
export const removalSteps = (isPurge: boolean): readonly RemovalStep[] => [
  stopStep,
  reverseProxyStep,
  ...(isPurge ? [accountStep, mailStep, databaseStep, sharedStep, stateStep] : []),
  releaseStep,
]

/** Uninstalls the panel. If killed at any line, the next run continues. Returns what it leaves. */
export async function uninstall(removal: Removal, observe: Observe): Promise<string[]> {
  return follow(removalSteps(removal.isPurge), ({ act }) => act(removal), observe)
}

function readlinkIfLink(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    // Another program's, or missing.
    return undefined
  }
}

async function rereadIfThere(service: string, program: string): Promise<void> {
  if (existsSync(program)) await run('systemctl', ['try-reload-or-restart', '--', service], timeout)
}

// 6: no such user or group (userdel(8), groupdel(8)).
async function unlessGone(tool: 'userdel' | 'groupdel', name: string): Promise<void> {
  try {
    await run(tool, ['--', name])
  } catch (error) {
    if (!(error instanceof CommandError) || error.exitCode !== 6) throw error
  }
}
