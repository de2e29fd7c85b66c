import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { DebianMachine } from './debian-machine.ts'

/** The folder in which the test unpacks the release. */
export const unpacked = '/srv/panel-0.1.0'
export const installer = [`${unpacked}/bin/panel`, 'install']

const always = ['--yes', '--hostname', 'panel.example.com']

/** The preflight's reports of machines on which nothing can be installed; it changes nothing. */
export async function showRefusals(t: Test, machine: DebianMachine): Promise<void> {
  const release = join(machine.root, unpacked, 'release.json')
  const answer = JSON.parse(readFileSync(release, 'utf8')) as object
  const listed = () => machine.must('find', '/etc', '/opt', '/usr', '/var', '-newer', '/srv/mark')
  const refused = async (words: RegExp, command: string[] = [...installer, ...always]) => {
    const { code, stdout, stderr } = await machine.run(command)
    t.equal(code, 1, stdout)
    t.match(stderr, words)
    t.notMatch(stderr, /\n    at /, 'no stack')
  }
  await machine.must('touch', '/srv/mark')
  const before = await listed()

  await staged(release, JSON.stringify({ ...answer, architecture: 'arm64' }), () =>
    refused(/This release is for arm64, this server is x64: use the other archive/),
  )
  await staged(release, JSON.stringify({ ...answer, builtAt: '2099-01-01T00:00:00Z' }), () =>
    refused(/The clock shows .*, before this release was built: set it/),
  )
  await staged(join(machine.root, 'usr/lib/os-release'), 'ID=ubuntu\nPRETTY_NAME="Ubuntu"\n', () =>
    refused(/This is Ubuntu: use a server with Debian 12 or 13/),
  )
  await refused(/You are not root/, ['setpriv', '--reuid=65534', ...installer, ...always])
  const apart = (mount: string) => ['unshare', '-m', 'sh', '-c', `${mount}; exec "$@"`, 'sh']
  const hidden = (folder: string, size = '1m') =>
    apart(`mount -t tmpfs -o size=${size} x ${folder}`)
  await refused(/systemd is not running/, [...hidden('/run/systemd'), ...installer, ...always])
  await refused(/The file system of \/opt has [0-9]+ MB free: it needs 2 GB/, [
    ...hidden('/opt'),
    ...[...installer, ...always],
  ])
  const little = `printf 'MemTotal: 500000 kB\nMemFree: 1 kB\n' >/run/little`
  await refused(/This server has 488 MB of memory: it needs 1 GB or more/, [
    ...apart(`${little}; mount --bind /run/little /proc/meminfo`),
    ...[...installer, ...always],
  ])
  await refused(/HestiaCP is installed here .*: use a separate server/, [
    ...apart('mount -t tmpfs x /usr/local; mkdir /usr/local/hestia'),
    ...[...installer, ...always],
  ])
  const desired = [...installer, ...always, '--databases']
  await refused(/MySQL is installed on this server: remove it, or omit --databases/, [
    ...apart('mount -t tmpfs x /usr/sbin; touch /usr/sbin/mysqld'),
    ...desired,
  ])
  const filled = 'mkdir -p /var/lib/mysql/mysql /var/lib/mysql/wiki /var/lib/mysql/bob_shop'
  const own = `echo 'comment=panel 7' >/var/lib/mysql/bob_shop/db.opt`
  await refused(
    /MariaDB has databases that are not the panel's \(wiki, in .*They were not changed/,
    [...apart(`mount -t tmpfs x /var/lib; ${filled}; ${own}`), ...desired],
  )
  await refused(/is not a full server name: give --hostname/, [...installer, '--yes'])
  const others: [port: number, command: string[]][] = [
    [80, [...installer, ...always]],
    [8443, [...installer, ...always]],
    [8444, desired],
  ]
  for (const [port, command] of others) {
    const taken = machine.start([`${unpacked}/node`, '-e', listen, String(port)])
    await new Promise(resolve => taken.child.stdout?.once('data', resolve))
    await refused(new RegExp(`Port ${port} is in use by node: stop and remove it`), command)
    await taken.stop()
  }
  await machine.must('useradd', '-u', '20001', '-M', 'other')
  await refused(/User number 20001 is in use.*give its user another/s)
  await machine.must('userdel', 'other')

  const wrong = await machine.run([...installer, '--yes', '--hostname', 'a b'])
  t.match(wrong, { code: 2, stderr: /--hostname is not a domain name|two labels/ })
  const dry = await machine.run([...installer, ...always, '--dry-run'])
  t.match(dry, {
    code: 0,
    stdout: /packages: Install .*postgresql.*\nphp: .*\n.*\/opt\/panel\/releases/,
  })
  t.match(dry.stdout, /^databases: Accounts get no databases/m)
  t.notMatch(dry.stdout, /mariadb-server/)
  const more = await machine.run([...desired, '--dry-run'])
  t.match(more, { code: 0, stdout: /packages: .*mariadb-server.*\n.*\nmariadb: Start/s })
  const elsewhere = 'DATABASE_URL=postgresql://u@db.example.com/hosting?sslmode=verify-full'
  const other = await machine.run(['env', elsewhere, ...installer, ...always, '--dry-run'])
  t.match(other, { code: 0, stdout: /database: Use the database in DATABASE_URL/ })
  t.notMatch(other.stdout, /postgresql \(/)
  const after = (await listed()).split('\n').filter(name => !isOfUsers.test(name))
  const was = before.split('\n').filter(name => !isOfUsers.test(name))
  t.strictSame(after, was, 'nothing was changed')
}

// Changes by this test itself.
const isOfUsers =
  /^\/etc(\/(passwd|shadow|group|gshadow|sub[ug]id)-?)?$|^\/usr\/lib(\/os-release)?$|^\/var\/log/

const listen = `
  require('net').createServer().listen(Number(process.argv[1]), () => console.log('up'))`

async function staged(path: string, text: string, work: () => Promise<void>): Promise<void> {
  renameSync(path, `${path}.own`)
  writeFileSync(path, text)
  await work()
  renameSync(`${path}.own`, path)
}
