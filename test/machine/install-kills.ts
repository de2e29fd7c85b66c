import type { Test } from 'tap'
import { until } from '../support/until.ts'
import type { DebianMachine } from './debian-machine.ts'
import { installer } from './refusals.ts'

// Later steps are reached only by runs whose earlier ones were all interrupted.

const always = ['--yes', '--hostname', 'panel.example.com', '--email', 'admin@example.com']

// Steps that are killed once more, when they have been in progress for so long.
const midwayMs: Record<string, number> = {
  packages: 5_000,
  release: 300,
  schema: 300,
  units: 500,
}

/** Installs, killed at each step; `kill` takes the program or the power. */
export async function installKilled(
  t: Test,
  machine: DebianMachine,
  kill: (stop: () => Promise<void>) => Promise<void>,
  databases: boolean,
): Promise<void> {
  // The first step remembers it.
  let words = databases ? [...always, '--databases'] : always
  const dry = await machine.must(...installer, ...words, '--dry-run')
  const steps = Array.from(dry.matchAll(/^(\w+): /gm), ([, name = '']) => name)
  t.ok(steps.length > 10)
  for (const [index, name] of steps.entries()) {
    for (const afterMs of [0, midwayMs[name]].filter(ms => ms !== undefined)) {
      const hasBegun = await interrupt(
        machine,
        `[${index + 1}/${steps.length}] ${name}`,
        { words, afterMs },
        kill,
      )
      if (name === 'packages') words = always
      t.ok(hasBegun, `${name}, killed after ${afterMs} ms`)
    }
  }
}

async function interrupt(
  machine: DebianMachine,
  line: string,
  { words, afterMs }: { words: readonly string[]; afterMs: number },
  kill: (stop: () => Promise<void>) => Promise<void>,
): Promise<boolean> {
  const { child, stop } = machine.start([...installer, ...words])
  let output = ''
  child.stderr?.on('data', (text: Buffer) => (output += text.toString()))
  child.stdout?.resume()
  const hasBegun = () => output.includes(line)
  await until(() => hasBegun() || child.exitCode !== null, 240_000)
  if (afterMs > 0) await new Promise(resolve => setTimeout(resolve, afterMs))
  await kill(stop)
  if (!hasBegun()) throw new Error(`${line} never began: ${output}`)
  return true
}

// Differs per machine, or is written by programs that are not ours.
const own = [
  ...['/etc/machine-id', '/etc/panel/key', '/etc/panel/tls/panel.pem', '/etc/ld.so.cache'],
  ...['/etc/ssh/ssh_host_', '/etc/ssl/certs', '/etc/ssl/private', '/var/lib/panel/first-password'],
  '/var/lib/mysql',
  ...['/var/lib/postgresql', '/var/lib/systemd', '/var/lib/dpkg', '/var/lib/apt', '/var/lib/ucf'],
  // An archive with the time of its making.
  '/var/lib/panel/site.tar',
  ...['/var/lib/private', '/var/lib/php', '/var/lib/nginx', '/var/lib/logrotate'],
  ...['/opt/panel/releases/0.1.0/node_modules/.cache', '/var/lib/panel/worker.lock'],
  // The start of the machine.
  '/var/lib/panel/compared',
]

/** The differences between two machines. */
export const differences = (found: string[], expected: string[]) => ({
  missing: expected.filter(line => !found.includes(line)),
  more: found.filter(line => !expected.includes(line)),
})

/** All that an installation has made, a line for each file, and the schema. */
export async function describe(machine: DebianMachine): Promise<string[]> {
  const find = `find /etc /opt /usr/bin /usr/lib/systemd /var/lib -printf '%p %y %m %u %g %l\\n'`
  const files = (await machine.must('sh', '-c', find)).split('\n')
  const sums = await machine.must(
    'sh',
    '-c',
    // Servers write and remove files of their data at any time.
    `find /etc /opt /usr/lib/systemd /var/lib -path '/var/lib/postgresql/*' -prune -o \
-path '/var/lib/mysql/*' -prune -o -type f -print0 | xargs -0 sha256sum`,
  )
  const sumOf = new Map(sums.split('\n').map(line => [line.slice(66), line.slice(0, 64)]))
  const isOwn = (line: string) =>
    own.some(folder => line.startsWith(folder)) ||
    (/^\/etc\/\S*-? /.test(line) && isOfUsers.test(line))
  const listed = files
    .filter(line => line !== '' && !isOwn(line))
    .map(line => `${line}${sumOf.get(line.split(' ')[0] ?? '') ?? ''}`)
  const users = await describeUsers(machine)
  return [...listed.sort(), ...users, ...(await describeDatabase(machine))]
}

// The day of a password's change is in shadow, the copies with a hyphen are of the time before, and
// packages that are set up in another order give their users other numbers.
const isOfUsers =
  /^\/etc\/(passwd|shadow|group|gshadow|passwd-|shadow-|group-|gshadow-|sub[ug]id-) /

async function describeUsers(machine: DebianMachine): Promise<string[]> {
  const users = 'cut -d: -f1,5-7 /etc/passwd; cut -d: -f1,4 /etc/group'
  return (await machine.must('sh', '-c', users)).split('\n').sort()
}

async function describeDatabase(machine: DebianMachine): Promise<string[]> {
  const dump = 'pg_dump -h /var/run/postgresql -U panel_owner -s panel'
  const rows = `psql -h /var/run/postgresql -U panel_owner -d panel -At -c "
    select name, sha256 from panel.migrations order by 1" -c "
    select name, role, email from panel.operators order by 1" -c "
    select rolname, rolcanlogin, rolcreaterole from pg_roles order by 1"`
  const text = await machine.must('sh', '-c', `${dump}; ${rows}`)
  // With a secret of each dump.
  return text.split('\n').filter(line => !/^(--|\\)/.test(line))
}
