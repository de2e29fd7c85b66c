import { statSync } from 'node:fs'
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
  ...services.map(name => `${name}.service`),
  'panel-update-resume.service',
]

// The API's unit keeps it from every network, which a database elsewhere needs.
const dropIn = `${unitFolder}/panel-api.service.d/database.conf`
const networked = `# The database is not on this machine.
[Service]
PrivateNetwork=no
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
IPAddressDeny=
`

export const unitStep: InstallStep = {
  name: 'units',
  does: () => 'Install the units of systemd, have them start with the machine, and start them',
  async act() {
    await ensureUnits()
    await run('systemctl', ['start', '--', 'panel.target'], patience)
    for (const service of services) {
      if (await isOlder(service)) await run('systemctl', ['restart', '--', service], patience)
    }
  },
}

/** Writes this release's units, and has systemd know them. */
export async function ensureUnits(): Promise<void> {
  for (const unit of units) await ensureFile(`${unitFolder}/${unit}`, released(unit), 0o644)
  await ensureDropIn(isElsewhere(installedUrl()))
  // Each time: whoever was killed may have been killed before it.
  await run('systemctl', ['daemon-reload'], patience)
  await run('systemctl', ['enable', '--quiet', '--', ...units], patience)
}

// A process waits for the database, and systemd for nobody.
const patience = { timeoutMs: 120_000 }

/** Whether an address is of a database that only a network leads to. */
export const isElsewhere = (url: string): boolean =>
  !decodeURIComponent(new URL(url).hostname).startsWith('/')

async function ensureDropIn(isWanted: boolean): Promise<void> {
  const folder = dropIn.slice(0, dropIn.lastIndexOf('/'))
  if (isWanted) {
    ensureFolder(folder, 0o755)
    await ensureFile(dropIn, networked, 0o644)
  } else {
    removeFile(dropIn)
    removeFolder(folder)
  }
}

// Whether a service runs by settings, or by a unit, that were written since.
async function isOlder(service: string): Promise<boolean> {
  const shown = ['show', '--timestamp=unix', '--value', '-p', 'ActiveEnterTimestamp', service]
  const since = Number((await run('systemctl', shown)).trim().replace('@', ''))
  const files = [installedSettings, keyFile, `${unitFolder}/${service}.service`]
  return files.some(file => statSync(file).mtimeMs / 1_000 > since)
}
