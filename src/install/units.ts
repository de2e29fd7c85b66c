import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { settingsFile } from '../host/mariadb/settings.ts'
import { ensureFile, ensureFolder, removeFile, removeFolder } from '../host/tools/files.ts'
import { run } from '../host/tools/run.ts'
import type { InstallStep } from './plan.ts'
import { installedUrl, keyFile } from './settings.ts'
import { installedSettings } from './settings-file.ts'
import { released } from './users.ts'

export const unitFolder = '/etc/systemd/system'
export const services = ['panel-api', 'panel-worker', 'panel-courier']
export const units = [
  'panel.target',
  'panel-api.socket',
  'panel-submit.socket',
  'panel-submit.service',
  ...services.map(name => `${name}.service`),
  'panel-update-resume.service',
]

/** A drop-in for MariaDB's unit, if it has accounts' databases. */
export const mariadbDropIn = `${unitFolder}/mariadb.service.d/panel.conf`

// The API's unit has no network, which an external database needs.
const apiDropIn = `${unitFolder}/panel-api.service.d/database.conf`
const networked = `# The database is on another server.
[Service]
PrivateNetwork=no
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
IPAddressDeny=
`

export const unitStep: InstallStep = {
  name: 'units',
  does: () => 'Install, enable and start the systemd units',
  async act() {
    await ensureUnits()
    await run('systemctl', ['start', '--', 'panel.target'], timeout)
    for (const service of services) {
      const files = [installedSettings, keyFile, `${unitFolder}/${service}.service`]
      if (await isOlder(service, files)) await run('systemctl', ['restart', '--', service], timeout)
    }
  },
}

/** Writes this release's units, and reloads systemd. */
export async function ensureUnits(): Promise<void> {
  for (const unit of units) await ensureFile(`${unitFolder}/${unit}`, released(unit), 0o644)
  await ensureDropIn(apiDropIn, isElsewhere(installedUrl()) ? networked : undefined)
  const isOfMariaDb = existsSync(settingsFile)
  await ensureDropIn(mariadbDropIn, isOfMariaDb ? released('mariadb.conf') : undefined)
  // Each time: an earlier run may have been killed before it.
  await run('systemctl', ['daemon-reload'], timeout)
  await run('systemctl', ['enable', '--quiet', '--', ...units], timeout)
}

// Processes wait for the database themselves, so systemd does not wait.
const timeout = { timeoutMs: 120_000 }

/** Returns whether the address of a database is on a network. */
export const isElsewhere = (url: string): boolean =>
  !decodeURIComponent(new URL(url).hostname).startsWith('/')

async function ensureDropIn(path: string, text: string | undefined): Promise<void> {
  const folder = dirname(path)
  if (text !== undefined) {
    ensureFolder(folder, 0o755)
    await ensureFile(path, text, 0o644)
  } else {
    removeFile(path)
    removeFolder(folder)
  }
}

/** Returns whether a service started before its settings or unit were written. */
export async function isOlder(service: string, files: readonly string[]): Promise<boolean> {
  const shown = ['show', '--timestamp=unix', '--value', '-p', 'ActiveEnterTimestamp', service]
  const since = Number((await run('systemctl', shown)).trim().replace('@', ''))
  return files.some(file => statSync(file).mtimeMs / 1_000 > since)
}
