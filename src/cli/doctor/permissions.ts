import { chmodSync, lstatSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { PanelError } from '../../errors.ts'
import { hooksOf } from '../../host/hooks/hook-scripts.ts'
import { hasCode } from '../../host/tools/files.ts'
import { closeLogs, listOpenLogs } from '../../host/usage/log-modes.ts'
import { openDaemons, openUsers } from '../../host/services/hidden-processes.ts'
import { ensureOwnFolders, findLooseFiles, listWrongFolders } from '../../host/tools/own-folders.ts'
import { follow } from '../../host/tools/safe-path.ts'
import { events, eventName } from '../../model/events/events.ts'
import { readServerKey } from '../../model/server/server-key.ts'
import { firstStartFile } from '../../start/first-start.ts'
import { vendorFile } from '../../model/server/license.ts'
import { installedSettings } from '../../install/settings-file.ts'
import {
  type Checks,
  count,
  failure,
  type Finding,
  fixedByRoot,
  list,
  requireKernel,
  requireRoot,
  Skip,
  warning,
  well,
} from './check.ts'

/** Checks the permissions of the panel's files and folders. */
export const permissionChecks: Checks = {
  key({ config: { keyFile } }) {
    try {
      readServerKey(keyFile)
      return well("The server's key exists and is readable by its owner only")
    } catch (error) {
      if (!(error instanceof PanelError)) throw error
      const found = statSync(keyFile, { throwIfNoEntry: false })
      const isLoose = found !== undefined && (found.mode & 0o027) !== 0
      if (isLoose) return failure(error.message, `chmod o=,g-w ${keyFile}`, close(keyFile, 0o640))
      const advice = 'Restore it from a backup: without it, everything it encrypts is lost'
      return fixedByRoot(failure(error.message, advice), `ls -l ${keyFile}`)
    }
  },
  settings({ isInstalled }) {
    if (!isInstalled) throw new Skip('No settings file is installed')
    return validateMode(installedSettings, 0o640, 'the settings, which may contain a password')
  },
  'state-folder'({ config: { stateDir }, isInstalled }) {
    return validateMode(stateDir, isInstalled ? 0o755 : 0o700, "the folder of the panel's state")
  },
  'first-start': ({ config }) =>
    validateMode(firstStartFile(config.stateDir), 0o600, 'the first password and token'),
  logs({ config }) {
    const folder = join(config.stateDir, 'log')
    const names = namesIn(folder).map(name => join(folder, name))
    const open = names.filter(path => (lstatSync(path).mode & 0o077) !== 0)
    if (open.length === 0) return well('Logs are closed to others')
    const fix = () => {
      for (const path of open) chmodSync(path, 0o600)
      return `closed ${count(open.length, 'log')}`
    }
    return warning(`Others may read logs: ${list(open)}`, `chmod 600 ${open[0]}`, fix)
  },
  'nginx-logs'(panel) {
    requireRoot(panel)
    const open = listOpenLogs(panel.machine)
    if (open.length === 0) return well("nginx's logs are root's and closed to others")
    const fix = () => `closed ${list(closeLogs(panel.machine))}`
    const advice = 'The worker closes them within a minute of a rotation; see whether it runs'
    return warning(`Users other than root may read ${list(open)}`, advice, fix)
  },
  vendor: () => validateMode(vendorFile, 0o600, 'the key that signs licenses of this server'),
  license: ({ license }) => validateMode(license.file, 0o644, 'the license'),
  folders(panel) {
    requireRoot(panel)
    const wrong = listWrongFolders(panel.machine)
    if (wrong.length === 0) return well("The panel's folders exist, with the right modes")
    const fix = () => {
      ensureOwnFolders(panel.machine)
      return `created or closed ${list(wrong)}`
    }
    return failure(`Missing, or with the wrong mode: ${list(wrong)}`, 'panel ctl doctor --fix', fix)
  },
  certificates(panel) {
    requireRoot(panel)
    const open = findLooseFiles(panel.machine)
    if (open.length === 0) return well('Keys of certificates are closed to others')
    const fix = () => {
      for (const path of open) chmodSync(path, 0o600)
      return `closed ${list(open)}`
    }
    return failure(`Others may read private keys: ${list(open)}`, `chmod 600 ${open[0]}`, fix)
  },
  processes(panel) {
    requireRoot(panel)
    requireKernel(panel)
    const { machine } = panel
    const users = openUsers(machine.services.phpProcesses()).map(uid => `PHP of user ${uid}`)
    const open = [...openDaemons(machine), ...users]
    if (open.length === 0) return well('Accounts cannot see processes of others')
    const words = `${list(open)} can see processes of all users, with their command lines`
    const advice =
      'systemctl restart cron, or panel ctl rebuild; if that does not help, this is a ' +
      'container whose host must allow it to mount /proc (LXC: nesting)'
    return failure(words, advice)
  },
  'sftp-keys'(panel) {
    requireRoot(panel)
    const folder = panel.machine.path('/etc/panel/keys')
    const ways = namesIn(folder).map(name => follow(join(folder, name), [0, process.getuid!()]))
    const refused = ways.flatMap(({ refusal }) => refusal ?? [])
    if (refused.length === 0) return well('Only root can add keys to accounts')
    const advice = 'Make root its owner and remove write access for others; check the keys in it'
    return failure(`Others can add SFTP keys of their own: ${list(refused)}`, advice)
  },
  'hook-scripts'({ config }) {
    const hooks = hooksOf({ folder: config.hooksDir })
    const all = (Object.keys(events) as (keyof typeof events)[]).flatMap(event =>
      [...hooks.findScripts(event)].map(script => ({ event, ...script })),
    )
    const refused = all.flatMap(({ refusal }) => refusal ?? [])
    if (refused.length === 0) return well(`${count(all.length, 'hook script')} can run`)
    const advice =
      'Make root its owner and that of its folders, chmod go-w them, or disable it: chmod a-x'
    return failure(`Hook scripts that will not run: ${list(refused)}`, advice)
  },
  'hook-folders'({ config }) {
    const found = statSync(config.hooksDir, { throwIfNoEntry: false })
    if (found?.isDirectory() === false) {
      const words = `${config.hooksDir} is not a folder: no hook script runs`
      return failure(words, 'Move it away, or set PANEL_HOOKS_DIR to another folder')
    }
    const names = namesIn(config.hooksDir)
    const known = (name: string) => eventName.safeParse(name.replace(/\.d$/, '')).success
    const unknown = names.filter(
      name => (!name.endsWith('.d') || !known(name)) && isMeant(join(config.hooksDir, name)),
    )
    if (unknown.length === 0) return well('Every hook folder is named after an event')
    const words = `No event runs the scripts in ${list(unknown)} of ${config.hooksDir}`
    return warning(words, `Name folders after an event, with .d: ${Object.keys(events)[0]}.d`)
  },
}

// A README next to the hook folders is not meant to run.
function isMeant(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  return !found?.isFile() || (found.mode & 0o111) !== 0
}

/** Checks a file that must have this mode or a stricter one. */
function validateMode(path: string, allowed: number, what: string): Finding {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) throw new Skip(`There is no ${path}`)
  const { uid, mode } = found
  if (![0, process.getuid?.()].includes(uid)) {
    const words = `${path} belongs to user ${uid}: ${what}`
    return fixedByRoot(failure(words, 'Make root its owner'), `chown root ${path}`)
  }
  if ((mode & 0o777 & ~allowed) === 0) return well(`${path} is closed to others`)
  const words = `${path} is open to others (${(mode & 0o777).toString(8)}): ${what}`
  return failure(words, `chmod ${allowed.toString(8)} ${path}`, close(path, allowed))
}

/** Removes excess permissions and adds none. */
const close = (path: string, allowed: number) => () => {
  const mode = statSync(path).mode & allowed
  chmodSync(path, mode)
  return `chmod ${mode.toString(8)} ${path}`
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  }
}
