import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { CommandError, run } from '../host/tools/run.ts'
import type { InstallStep, Plan } from './plan.ts'

/** The distribution's packages that the panel needs, and the purpose of each. */
export const packages: Record<string, string> = {
  adminer: 'databases in the browser',
  'ca-certificates': 'checks the certificates of mail relays',
  acl: 'access to homes for nginx, but not for other accounts',
  cron: "runs accounts' jobs",
  goaccess: 'statistics of websites',
  logrotate: 'rotates the logs of nginx and of the installer',
  'mariadb-server': "accounts' databases",
  msmtp: 'sends mail of websites by a relay',
  'nginx-light': 'serves websites and the panel over TLS',
  'openssh-server': 'SFTP',
  'php-fpm': 'PHP',
  'php-bcmath': 'PHP with exact arithmetic, for shops',
  'php-curl': 'PHP with HTTP requests',
  'php-gd': 'PHP with image processing',
  'php-intl': 'PHP with internationalization',
  'php-mbstring': 'PHP with multibyte text',
  'php-mysql': 'PHP with MariaDB',
  'php-sqlite3': 'PHP with SQLite',
  'php-xml': 'PHP with XML',
  'php-zip': 'PHP with zip archives',
  postgresql: "the panel's database",
  quota: "limits accounts' disk use",
  restic: 'backups of accounts',
  'systemd-timesyncd': 'keeps the clock synchronized',
  'xz-utils': 'unpacks updates',
}

// Any of these is enough; an installed alternative is kept.
const alternatives: Record<string, readonly string[]> = {
  'nginx-light': ['nginx-light', 'nginx-core', 'nginx-full', 'nginx-extras', 'nginx'],
  cron: ['cron', 'cronie', 'systemd-cron'],
  'systemd-timesyncd': ['systemd-timesyncd', 'chrony', 'ntpsec', 'openntpd'],
}

/** Returns the missing packages. */
function missingPackages({ databaseUrl, databases }: Plan): string[] {
  const excluded = [
    ...(databaseUrl === undefined ? [] : ['postgresql']),
    ...(databases ? [] : ['mariadb-server', 'adminer']),
  ]
  const status = readFileSync('/var/lib/dpkg/status', 'utf8')
  const installed = new Set(
    Array.from(status.matchAll(/^Package: (.+)\nStatus: \w+ ok installed$/gm), ([, name]) => name),
  )
  return Object.keys(packages)
    .filter(name => !excluded.includes(name))
    .filter(name => !(alternatives[name] ?? [name]).some(other => installed.has(other)))
}

export const packageStep: InstallStep = {
  name: 'packages',
  does(plan) {
    const missing = missingPackages(plan)
    if (missing.length === 0) return 'All packages are installed'
    const lines = missing.map(name => `${name} (${packages[name]})`)
    return `Install the distribution's packages: ${lines.join(', ')}`
  },
  async act(plan) {
    await finishInterrupted()
    const missing = missingPackages(plan)
    if (missing.length === 0) return
    const install = () => apt(plan, 'install', '--no-install-recommends', '--', ...missing)
    try {
      await install()
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
      // The lists may be old or missing, and a half-installed package has to be finished.
      await apt(plan, 'update')
      await apt(plan, 'install', '--fix-broken')
      await install()
    }
  },
}

/**
 * Finishes packages that a killed install left half-installed; its dpkg may run on for a moment,
 * with the lock.
 */
export async function finishInterrupted(): Promise<void> {
  const end = Date.now() + lockTimeoutS * 1_000
  for (;;) {
    try {
      await dpkg('dpkg', '--configure', '-a')
      return
    } catch (error) {
      const isLocked = error instanceof CommandError && /\block was locked\b/.test(error.stderr)
      if (!isLocked || Date.now() > end) throw error
    }
    await sleep(500)
  }
}

const lockTimeoutS = 300

/**
 * Installs packages from the sources that the machine has; finishes an interrupted install first.
 */
export async function installPackages(
  names: readonly string[],
  progress?: Plan['progress'],
): Promise<void> {
  await finishInterrupted()
  await apt({ progress }, 'install', '--no-install-recommends', '--', ...names)
}

const apt = (
  { progress }: { progress?: Plan['progress'] | undefined },
  ...args: string[]
): Promise<string> => {
  // Keeps files that an administrator has changed, and waits for a dpkg that is already running.
  const dpkgOptions = ['--force-confdef', '--force-confold'].map(flag => `Dpkg::Options::=${flag}`)
  const options = [...dpkgOptions, `DPkg::Lock::Timeout=${lockTimeoutS}`].flatMap(option => [
    '-o',
    option,
  ])
  const reported = (line: string): void => {
    const { percent, doing } = readStatus(line) ?? {}
    if (percent !== undefined && doing !== undefined) progress?.(percent, doing)
  }
  // Status lines are mixed with the other output.
  return aptly(
    ['apt-get', '--quiet', '--yes', '-o', 'APT::Status-Fd=1', ...options, ...args],
    reported,
  )
}

/**
 * Parses a line of apt's status (apt's README.progress-reporting); returns undefined for any other.
 * Its first word distinguishes downloads from work, which each go from 0 to 100.
 */
export function readStatus(line: string): { percent: number; doing: string } | undefined {
  const found = /^(dl|pm)status:.*?:(\d{1,3}(?:\.\d+)?):(.*)$/.exec(line)
  if (found === null) return undefined
  const [, phase, percent, words = ''] = found
  return { percent: Number(percent), doing: phase === 'dl' ? 'Downloading packages' : words.trim() }
}

// For a slow mirror and a slow disk; the user sees the step's name.
const timeoutMs = 1_800_000

const dpkg = (...command: string[]): Promise<string> => aptly(command)

function aptly(command: string[], onLine: (line: string) => void = () => undefined) {
  const silent = ['DEBIAN_FRONTEND=noninteractive', 'NEEDRESTART_SUSPEND=1']
  return run('env', [...silent, ...command], { timeoutMs: timeoutMs, onLine })
}
