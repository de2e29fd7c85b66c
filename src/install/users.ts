import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { installationDir } from '../config.ts'
import { ensureFile } from '../host/tools/files.ts'
import { run } from '../host/tools/run.ts'
import type { InstallStep } from './plan.ts'

export const sysusersFile = '/etc/sysusers.d/panel.conf'
export const tmpfilesFile = '/etc/tmpfiles.d/panel.conf'
export const logrotateFile = '/etc/logrotate.d/panel'

/** Returns the text of a file in this release. */
export const released = (name: string): string =>
  readFileSync(join(installationDir, 'systemd', name), 'utf8')

export const userStep: InstallStep = {
  name: 'users',
  does: () => "Create the users of API, courier, mail, Adminer and nginx, and the panel's folders",
  act: () => ensureUsers(),
}

/** Makes the users and folders that this release needs. */
export async function ensureUsers(): Promise<void> {
  await run('mkdir', ['-p', '/etc/sysusers.d', '/etc/tmpfiles.d'])
  await ensureFile(sysusersFile, released('sysusers.conf'), 0o644)
  await ensureFile(tmpfilesFile, released('tmpfiles.conf'), 0o644)
  await run('systemd-sysusers', [sysusersFile])
  await run('systemd-tmpfiles', ['--create', tmpfilesFile])
  if (existsSync('/etc/logrotate.d')) {
    await ensureFile(logrotateFile, released('logrotate.conf'), 0o644)
  }
}
