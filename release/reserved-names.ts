import { existsSync, globSync, mkdirSync, readFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { run } from '../src/host/tools/run.ts'
import { namesIn, type PackageContents } from './package-users.ts'

// `npm run reserved-names [FOLDER]`: the users and groups that packages of Debian make, as
// src/model/grammar/package-names.json has them, from Debian's own data: the sysusers.d files and
// the maintainer scripts of all packages whose dependencies say that they make any, of Debian 12
// and 13, each release's own version of them, from main, contrib and non-free. It asks the package
// sources of the machine it runs on, keeps the packages in FOLDER, and fetches only those that are
// missing there. A large package is fetched only for its sysusers.d file
// (src/model/grammar/reserved-names.ts has the names of the others).

const suites = ['trixie', 'bookworm'] as const
const components = 'main contrib non-free non-free-firmware'
const largestBytes = 5_000_000
const target = join(import.meta.dirname, '../src/model/grammar/package-names.json')
const reference = join(import.meta.dirname, '../docs/reference/accounts.md')

// The packages that make users (Debian Policy, section 9.2.2; dh_installsysusers(1)).
const makers = new Set([
  ...['adduser', 'passwd', 'sysuser-helper', 'opensysusers', 'systemd-sysusers'],
  ...['default-systemd-sysusers', 'systemd-standalone-sysusers'],
])

const given = process.argv[2]
const folder = given ?? (await mkdtemp(join(tmpdir(), 'panel-reserved-names-')))
const names = new Map<string, Set<string>>()
const fetched = new Set<string>()
for (const suite of suites) {
  const location = join(folder, suite)
  await update(suite, location)
  await fetchAll(location, await candidates(location))
  for (const file of globSync(join(location, 'debs/*.deb'))) {
    const source = basename(file).split('_')[0]!
    if (source !== 'base-passwd') fetched.add(source)
    for (const name of namesIn(await contentsOf(file))) {
      names.set(name, (names.get(name) ?? new Set()).add(source))
    }
  }
}
const lines = [...names]
  .sort(([one], [other]) => (one < other ? -1 : 1))
  .map(([name, sources]) => `${JSON.stringify(name)}: ${JSON.stringify(shown(sources))}`)
await writeFile(target, `{\n  ${lines.join(',\n  ')}\n}\n`)
await describe()
process.stdout.write(`${names.size} names of ${fetched.size} packages\n`)
if (given === undefined) await rm(folder, { recursive: true })

// Writes the list in the reference.
async function describe(): Promise<void> {
  const { reservedUsernames } = await import('../src/model/grammar/reserved-names.ts')
  const lines = ['']
  for (const name of [...reservedUsernames].sort()) {
    if (`${lines.at(-1)} ${name}`.length > 100) lines.push('')
    lines.push(`${lines.pop()} ${name}`.trim())
  }
  const text = await readFile(reference, 'utf8')
  const list = /(?<=## Reserved usernames\n[^]*?```text\n)[^`]*/
  await writeFile(reference, text.replace(list, `${lines.join('\n')}\n`))
}

// Some are made by dozens.
function shown(sources: ReadonlySet<string>): string {
  const [first, ...others] = [...sources].sort()
  return others.length > 2 ? `${first} and ${others.length} others` : [first, ...others].join(', ')
}

/** Downloads the indexes of a suite into a folder, from the sources of this machine. */
async function update(suite: string, location: string): Promise<void> {
  for (const path of [
    'etc/sources.list.d',
    'lib/lists/partial',
    'cache/archives/partial',
    'debs',
  ]) {
    mkdirSync(join(location, path), { recursive: true })
  }
  await writeFile(join(location, 'status'), '')
  await writeFile(
    join(location, 'etc/sources.list.d/debian.sources'),
    `Types: deb\nURIs: ${source()}\nSuites: ${suite}\nComponents: ${components}\n` +
      'Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg\n',
  )
  const contents = (architecture: string) =>
    `Acquire::IndexTargets::deb::Contents-${architecture} {\n` +
    `  MetaKey "$(COMPONENT)/Contents-${architecture}"; ShortDescription "Contents";\n` +
    `  Description "Contents of ${architecture}"; };\n`
  const settings = `Dir::Etc "${location}/etc"; Dir::State "${location}/lib"; \
Dir::Cache "${location}/cache";
Dir::State::status "${location}/status"; APT::Sandbox::User "root"; Acquire::Languages "none";
APT::Architecture "amd64"; APT::Architectures { "amd64"; };\n`
  const update = async (more: string) => {
    await writeFile(join(location, 'apt.conf'), settings + more)
    await apt(location, ['update', '-qq'])
  }
  // Lists of files are optional: few packages create users without mentioning it.
  await update(contents('all') + contents('amd64')).catch(() => update(''))
}

function source(): string {
  const files = ['/etc/apt/sources.list', ...globSync('/etc/apt/sources.list.d/*.{list,sources}')]
  for (const file of files.filter(name => existsSync(name))) {
    const found = /^(?:URIs:|deb(?: \[.*\])?) +(\S+)/m.exec(readFileSync(file, 'utf8'))?.[1]
    if (found?.includes('debian')) return found
  }
  throw new Error('No Debian package source is configured')
}

function apt(location: string, words: string[]): Promise<string> {
  const settings = ['-C', join(location, 'debs'), `APT_CONFIG=${location}/apt.conf`]
  return run('env', [...settings, 'apt-get', ...words], { timeoutMs: 3_600_000 })
}

/** Downloads the missing packages one by one. */
async function fetchAll(location: string, desired: readonly string[]): Promise<void> {
  const there = new Set((await readdir(join(location, 'debs'))).map(file => file.split('_')[0]))
  const missing = desired.filter(name => !there.has(name))
  process.stdout.write(`${missing.length} packages to download\n`)
  if (missing.length > 0) await apt(location, ['-qq', 'download', ...missing])
}

async function candidates(location: string): Promise<string[]> {
  const listed = await withSysusers(location)
  return globSync(join(location, 'lib/lists/*_Packages'))
    .flatMap(index => readFileSync(index, 'utf8').split('\n\n'))
    .flatMap(text => {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1] ?? ''
      const needs = `${field('Depends')},${field('Pre-Depends')}`.split(/[,|]/)
      const isMaker = needs.some(need => makers.has(need.trim().split(/[ :(]/)[0]!))
      const name = field('Package')
      const isDesired =
        name === 'base-passwd' ||
        listed.has(name) ||
        (isMaker && Number(field('Size')) <= largestBytes)
      return isDesired ? [name] : []
    })
}

/** Returns the packages with a sysusers.d file, if the lists of files are there. */
async function withSysusers(location: string): Promise<Set<string>> {
  const pattern = '^(usr/)?lib/sysusers\\.d/[^ ]*\\.conf '
  const found = new Set<string>()
  for (const index of globSync(join(location, 'lib/lists/*_Contents-{all,amd64}'))) {
    const lines = await run('grep', ['-hE', pattern, index], { acceptedCodes: [1] })
    for (const owner of lines.split('\n').flatMap(line => line.split(/\s+/)[1]?.split(',') ?? [])) {
      found.add(owner.split('/').at(-1)!)
    }
  }
  return found
}

async function contentsOf(file: string): Promise<PackageContents> {
  const location = await mkdtemp(join(tmpdir(), 'panel-package-'))
  const read = async (pattern: string) =>
    (await Promise.all(globSync(join(location, pattern)).map(name => readFile(name, 'utf8')))).join(
      '\n',
    )
  try {
    await run('dpkg-deb', ['--control', file, join(location, 'DEBIAN')])
    const files = await run('dpkg-deb', ['--contents', file], { outputLimit: 2 ** 28 })
    if (/sysusers\.d\/|base-passwd\//.test(files)) {
      await run('dpkg-deb', ['--extract', file, location], { timeoutMs: 600_000 })
    }
    return {
      scripts: await read('DEBIAN/{preinst,postinst,prerm,postrm,config}'),
      sysusers: await read('{usr/,}lib/sysusers.d/*.conf'),
      lists: await read('usr/share/base-passwd/*.master'),
    }
  } finally {
    await rm(location, { recursive: true })
  }
}
