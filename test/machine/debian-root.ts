import { existsSync, globSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { mailPackages } from '../../src/install/mail.ts'
import { packages } from '../../src/install/packages.ts'
import { run } from './machine.ts'

// Fresh machines: a root of each Debian, made of the machine's own package source. What an
// installation needs is in its cache, as the machine that it becomes has no network.

const root = join(import.meta.dirname, '../..')

// The packages of a Debian whose installer was left at its defaults, and `at`, which many add.
const minimal =
  'systemd,systemd-sysv,libpam-systemd,dbus,ca-certificates,iproute2,procps,xz-utils,less,at'
/** Makes the root of a fresh Debian in a folder. */
export async function makeRoot(suite: string, folder: string): Promise<void> {
  const desired = Object.keys({ ...packages, ...mailPackages }).join(' ')
  const options = '-qq -y --no-install-recommends --download-only'
  const fill = `chroot "$1" apt-get install ${options} ${desired}`
  await must('mmdebstrap', [
    ...['--quiet', '--variant=minbase', '--skip=cleanup/apt', '--dpkgopt=force-unsafe-io'],
    ...[`--aptopt=Apt::Install-Recommends "false"`, `--include=${minimal}`],
    ...[`--customize-hook=${fill}`, suite, folder, packageSource()],
  ])
}

/** The sources of this machine's own packages. */
export function packageSource(): string {
  const files = ['/etc/apt/sources.list', ...globSync('/etc/apt/sources.list.d/*.{list,sources}')]
  for (const file of files.filter(name => existsSync(name))) {
    const text = readFileSync(file, 'utf8')
    const found = /^(?:URIs:|deb(?: \[.*\])?) +(\S+)/m.exec(text)?.[1]
    if (found?.includes('debian')) return found
  }
  throw new Error('No Debian package source is configured')
}

/** The archive of a release of this checkout, made once a run. */
export async function makeRelease(scratch: string): Promise<string> {
  const folder = join(scratch, 'release')
  mkdirSync(folder, { recursive: true })
  const build = [process.execPath, join(root, 'release/build.ts'), '--effort=0', '--dirty']
  // A second caller waits for the first.
  const script = 'cd "$1"; shift; [ -e done ] || { "$@" >&2 && touch done; }'
  const command = ['sh', '-c', script, 'sh', folder, ...build, `--output=${folder}`]
  await must('flock', [join(scratch, 'release.lock'), ...command])
  const [archive] = globSync(join(folder, '*.tar.xz'))
  if (archive === undefined) throw new Error('There is no release')
  return archive
}

/** Runs a program of this machine, and fails where it does. */
export async function must(command: string, args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(command, args)
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${stderr.slice(-2_000)}`)
  return stdout
}
