import { chownSync, chmodSync, existsSync, readFileSync } from 'node:fs'
import { readConfig } from '../config.ts'
import { PanelError } from '../errors.ts'
import { ensureFile } from '../host/tools/files.ts'
import { run } from '../host/tools/run.ts'
import { ensureServerKey } from '../start/server-key.ts'
import { findCluster, urlOf } from './cluster.ts'
import type { InstallStep, Plan } from './plan.ts'
import { ensureVendorKey } from './self-license.ts'
import { installedSettings, parseSettings, readSettings } from './settings-file.ts'

export const keyFile = '/etc/panel/key'
export const licenseFile = '/etc/panel/license'
export const apiSocket = '/run/panel/api.sock'

/** The port of the panel. */
export const portalPort = 8443

export const settingsStep: InstallStep = {
  name: 'settings',
  does: ({ hostname }) => `Create the server's key, and write ${installedSettings} for ${hostname}`,
  async act(plan) {
    await ensureServerKey(keyFile)
    const group = (await run('getent', ['group', 'panel-key'])).split(':')[2]
    chownSync(keyFile, 0, Number(group))
    chmodSync(keyFile, 0o640)
    const desired = await settingsOf(plan)
    readConfig(desired)
    const isThere = existsSync(installedSettings)
    const text = isThere ? readFileSync(installedSettings, 'utf8') : head
    await ensureFile(installedSettings, withSettings(text, desired), 0o600)
  },
}

/** Returns the desired settings: an administrator's additions and changes stay. */
async function settingsOf(plan: Plan): Promise<Record<string, string>> {
  const { hostname, databaseUrl } = plan
  const found = readSettings(installedSettings) ?? {}
  return {
    PANEL_HOST: 'linux',
    PANEL_KEY: keyFile,
    PANEL_LICENSE: licenseFile,
    PANEL_SOCKET: apiSocket,
    PANEL_STATE_DIR: '/var/lib/panel',
    ...found,
    ...(plan.selfLicense && { PANEL_LICENSE_KEY: await ensureVendorKey() }),
    DATABASE_URL: databaseUrl ?? found['DATABASE_URL'] ?? (await localUrl()),
    PANEL_HOSTNAME: hostname,
    PANEL_BASE_URL:
      found['PANEL_HOSTNAME'] === hostname && found['PANEL_BASE_URL']
        ? found['PANEL_BASE_URL']
        : `https://${hostname}:${portalPort}`,
  }
}

async function localUrl(): Promise<string> {
  const cluster = await findCluster()
  if (cluster === undefined) throw new PanelError('unavailable', 'PostgreSQL is not installed')
  return urlOf(cluster)
}

/** Returns the file's text with these settings; unchanged lines and comments stay in place. */
export function withSettings(text: string, desired: Record<string, string>): string {
  const found = parseSettings(text, installedSettings)
  const rest = new Map(Object.entries(desired))
  const kept = text
    .replace(/\n$/, '')
    .split('\n')
    .map(line => {
      const name = /^\s*([A-Z_]+)=/.exec(line)?.[1] ?? ''
      const value = rest.get(name)
      if (value === undefined) return line
      rest.delete(name)
      return value === found[name] ? line : `${name}=${value}`
    })
  return `${[...kept, ...Array.from(rest, ([name, value]) => `${name}=${value}`)].join('\n')}\n`
}

const head =
  '# Settings of the panel; to apply changes, run panel install or systemctl restart panel-*.'

/** Returns the installed panel's address of its database. */
export function installedUrl(): string {
  const url = readSettings(installedSettings)?.['DATABASE_URL']
  if (url === undefined) throw new PanelError('unavailable', 'No panel is installed')
  return url
}
