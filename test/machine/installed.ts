import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { vendor } from '../support/cli/licenses.ts'
import { until } from '../support/until.ts'
import type { DebianMachine } from './debian-machine.ts'

// Tests an installed panel, as customers and billing systems use it.

export const address = 'https://panel.example.com:8443'
export const services = ['panel-api', 'panel-worker', 'panel-courier']

export const curl = [
  'curl',
  '-sk',
  '--max-time',
  '70',
  '--resolve',
  'panel.example.com:8443:127.0.0.1',
]

export type Client = {
  (
    method: string,
    path: string,
    body?: object,
  ): Promise<{ status: number; body: Record<string, unknown> }>
  token: string
}

const { key, license } = vendor()

/** A client with a token of an administrator's, once the server has a license. */
export async function openClient(machine: DebianMachine): Promise<Client> {
  const info = JSON.parse(await machine.must('panel', 'ctl', 'info', '--json')) as {
    server_id: string
  }
  const settings = `echo PANEL_LICENSE_KEY=${key} >>/etc/panel/panel.env`
  await machine.must('sh', '-c', settings)
  const installed = await installLicense(machine, license({ server_id: info.server_id }))
  if (installed.code !== 0) throw new Error(installed.stderr)
  const made = await machine.must('panel', 'token', 'create', '--owner', 'admin', '--json')
  const { token } = JSON.parse(made) as { token: string }
  const client = clientOf(machine, token)
  // The license is read within seconds.
  await until(async () => (await client('GET', '/accounts')).status === 200)
  return client
}

const installLicense = (machine: DebianMachine, text: string) =>
  machine.run(['sh', '-c', 'cat >/srv/license; panel install --yes --license /srv/license'], text)

/** A license of another server is refused, and the one that there is stays. */
export async function showOtherLicense(t: Test, machine: DebianMachine): Promise<void> {
  const result = await installLicense(machine, license({ server_id: randomUUID() }))
  t.match(result, { code: 1, stderr: /The license is for another server.*: it was not installed/ })
  const info = JSON.parse(await machine.must('panel', 'ctl', 'info', '--json')) as object
  t.match(info, { license: { is_valid: true } })
}

/** A server that is its own vendor needs no file; the key is root's alone, and stays on renewal. */
export async function showSelfLicense(t: Test, machine: DebianMachine): Promise<void> {
  const doctor = await machine.run(['panel', 'ctl', 'doctor'])
  t.match(doctor.stdout, /No license is installed.*panel install --self-license/s)
  const keys: string[] = []
  for (let count = 0; count < 2; count++) {
    const result = await machine.run(['panel', 'install', '--yes', '--self-license'])
    t.equal(result.code, 0, result.stderr)
    t.notMatch(result.stdout, /accounts need a license/)
    const info = JSON.parse(await machine.must('panel', 'ctl', 'info', '--json')) as object
    t.match(info, { plan: 'own', license: { is_valid: true } })
    const file = '/etc/panel/vendor.pem'
    t.equal((await machine.must('stat', '-c', '%a %U', file)).trim(), '600 root')
    keys.push(await machine.must('sha256sum', file))
  }
  t.equal(keys[0], keys[1])
  const made = await machine.must('panel', 'token', 'create', '--owner', 'admin', '--json')
  const client = clientOf(machine, (JSON.parse(made) as { token: string }).token)
  await until(async () => (await client('GET', '/accounts')).status === 200)
  // A broken one that is there is replaced as if there were none.
  await machine.must('sh', '-c', 'echo spoilt >/etc/panel/license')
  const spoilt = await machine.run(['panel', 'install', '--yes'])
  t.match(spoilt.stdout, /panel install --self-license +or your own/)
  const again = await machine.run(['panel', 'install', '--yes', '--self-license'])
  t.equal(again.code, 0, again.stderr)
  t.notMatch(again.stdout, /accounts need a license/)
  // With another vendor named, a server signs no license, and is not advised to.
  const named = `sed -i s,^PANEL_LICENSE_KEY=.*,PANEL_LICENSE_KEY=${key}, /etc/panel/panel.env`
  await machine.must('sh', '-c', named)
  const refused = await machine.run(['panel', 'install', '--yes', '--self-license'])
  t.match(refused, { code: 1, stderr: /PANEL_LICENSE_KEY in the settings names a vendor/ })
  const reported = await machine.run(['panel', 'install', '--yes'])
  t.match(reported.stdout, /panel license install FILE +accounts need a license, of your vendor/)
  t.notMatch(reported.stdout + reported.stderr, '--self-license')
  t.notMatch((await machine.run(['panel', 'ctl', 'doctor'])).stdout, '--self-license')
  const undo = `sed -i /^PANEL_LICENSE_KEY=/d /etc/panel/panel.env; rm /etc/panel/vendor.pem`
  await machine.must('sh', '-c', `${undo} /etc/panel/license`)
}

/** A client with a token that there is. */
export function clientOf(machine: DebianMachine, token: string): Client {
  const call = async (method: string, path: string, body?: object) => {
    // A panel that was restored still knows the keys of the one that was kept.
    const key = `Idempotency-Key: ${randomUUID()}`
    const headers = [`Authorization: Bearer ${token}`, key, 'Content-Type: application/json']
    const data = body === undefined ? [] : ['--data', JSON.stringify(body)]
    const { stdout } = await machine.reach([
      ...[...curl, '-X', method, '-w', '\n%{http_code}'],
      ...[...headers.flatMap(header => ['-H', header]), ...data, `${address}/api/v1${path}`],
    ])
    const [text = '', status = ''] = stdout.split(/\n(?=\d+$)/)
    const isJson = text.startsWith('{') || text.startsWith('[')
    return { status: Number(status), body: isJson ? JSON.parse(text) : { text } }
  }
  return Object.assign(call, { token })
}

/** Returns a visitor's view of a website, its status before its text. */
export async function visit(machine: DebianMachine, domain: string, path = '/'): Promise<string> {
  const where = ['-H', `Host: ${domain}`, `http://127.0.0.1${path}`]
  const { stdout } = await machine.reach([...curl, '-w', '\n%{http_code}', ...where])
  return stdout.replace(/^([^]*)\n(\d+)$/, '$2 $1')
}

/** Returns the output for an SFTP client, which logs in with a password. */
export async function sftp(
  machine: DebianMachine,
  user: string,
  password: string,
  commands = 'pwd\n',
) {
  const options = ['-oStrictHostKeyChecking=no', '-oUserKnownHostsFile=/dev/null']
  const command = ['sshpass', '-p', password, 'sftp', ...options, `${user}@127.0.0.1`]
  return machine.reach(command, commands)
}

const alice = {
  username: 'alice',
  password: 'correct horse battery',
  email: 'alice@example.com',
  package: 'starter',
  domain: 'alice.example',
}

/** Returns the panel's own figures. */
export async function showFindings(t: Test, machine: DebianMachine): Promise<void> {
  const info = JSON.parse(await machine.must('panel', 'ctl', 'info', '--json')) as object
  t.match(info, { version: '0.1.0', commit: /^[0-9a-f]{40}(-dirty)?$/, host: { kind: 'linux' } })
  const pack = 'panel ctl support-bundle --output /srv/b.tgz && tar -xzOf /srv/b.tgz'
  const packed = await machine.must('sh', '-c', pack)
  for (const words of ['Id=panel-worker.service', 'health: done', 'worker ready']) {
    t.ok(packed.includes(words), `the support bundle has ${words}`)
  }
  const found = async () => {
    const result = await machine.run(['panel', 'ctl', 'doctor', '--json'])
    const { checks } = JSON.parse(result.stdout) as { checks: { name: string; state: string }[] }
    const failed = checks.filter(({ state }) => state === 'failure').map(({ name }) => name)
    // There is no network, and so no name server.
    return failed.filter(name => !name.startsWith('dns/'))
  }
  t.strictSame(await found(), [])
  const link = '/etc/systemd/system/panel.target.wants/panel-worker.service'
  const certificate = '/etc/panel/tls/panel.pem'
  await machine.must('systemctl', 'disable', '--quiet', 'panel-worker')
  await machine.must('mv', certificate, `${certificate}.own`)
  await machine.must('touch', certificate)
  const broken = [
    'installation/units',
    'installation/reverse-proxy',
    'services/nginx-configuration',
  ]
  t.strictSame(await found(), broken)
  await machine.must('mv', `${certificate}.own`, certificate)
  await machine.must('systemctl', 'enable', '--quiet', 'panel-worker')
  await machine.must('test', '-e', link)
}

/** An account lives its life, and another stays for what comes. */
export async function showLife(t: Test, machine: DebianMachine, client: Client): Promise<void> {
  t.match(await client('PUT', '/packages/starter', limits), { status: /^20[01]$/ })
  const created = await client('POST', '/accounts', alice)
  t.equal(created.status, 201, JSON.stringify(created.body))
  t.match(await visit(machine, alice.domain), /^200 .*This website is ready/s)
  await put(machine, 'alice', `<?php echo 'PHP as ', posix_geteuid();`)
  t.match(await visit(machine, alice.domain, '/who.php'), /^200 PHP as 20000/)
  t.match(await sftp(machine, 'alice', alice.password), { code: 0, stdout: /\/files/ })
  await showBorders(t, machine)

  t.match(await client('POST', '/accounts/alice/suspend', {}), { status: 200 })
  t.match(await visit(machine, alice.domain), /^503 /)
  t.not((await sftp(machine, 'alice', alice.password)).code, 0)
  t.match(await client('DELETE', '/accounts/alice'), { status: 200 })
  t.match(await visit(machine, alice.domain), /^421 /)
  t.not((await machine.run(['getent', 'passwd', 'alice'])).code, 0)

  await addBob(t, machine, client)
}

/** An account with a website that answers, and its package. */
export async function addBob(t: Test, machine: DebianMachine, client: Client): Promise<void> {
  t.match(await client('PUT', '/packages/starter', limits), { status: /^20[01]$/ })
  const bob = { ...alice, username: 'bob', domain: 'bob.example' }
  t.match(await client('POST', '/accounts', bob), { status: 201 })
  await put(machine, 'bob', `<?php echo 'PHP of bob';`)
}

const limits = { max_sites: 3, disk_mb: 100, memory_mb: 128, cpu_percent: 50, sftp: true }

/** Puts a PHP page into the website of an account. */
export async function put(
  machine: DebianMachine,
  name: string,
  text: string,
  file = 'who.php',
): Promise<void> {
  const path = `/home/${name}/sites/${name}.example/public/${file}`
  const { code, stderr } = await machine.run(['runuser', '-u', name, '--', 'tee', path], text)
  if (code !== 0) throw new Error(stderr)
}

// Nothing that an account runs comes near the panel.
async function showBorders(t: Test, machine: DebianMachine): Promise<void> {
  const asAlice = (...command: string[]) =>
    machine.run(['runuser', '-u', 'alice', '--', ...command])
  const attempts = [
    ['psql', '-h', '/var/run/postgresql', '-d', 'panel', '-c', 'select'],
    ['psql', '-h', '/var/run/postgresql', '-d', 'panel', '-U', 'panel_owner', '-c', 'select'],
    ['psql', '-h', '127.0.0.1', '-d', 'panel', '-U', 'panel_api', '-c', 'select'],
    ['psql', '-h', '/var/run/postgresql', '-d', 'postgres', '-U', 'panel_api', '-c', 'select'],
    ['cat', '/etc/panel/key'],
    ['cat', '/etc/panel/panel.env'],
    ['cat', '/etc/panel/tls/panel.pem'],
  ]
  for (const attempt of attempts) t.not((await asAlice(...attempt)).code, 0, attempt.join(' '))
  const how = `.on('error', error => console.log(error.code))`
  const connect = `require('net').connect('/run/panel/api.sock')${how}`
  t.match((await asAlice('/opt/panel/current/node', '-e', connect)).stdout, /EACCES/)
  const inApi = (...command: string[]) => asProcessOf(machine, 'panel-api', command)
  t.equal((await inApi('ls', '/home')).stdout, '', 'the API sees no homes')
  t.not((await inApi('ls', '/etc/panel/hooks')).code, 0, 'nor hook scripts')
  t.not((await inApi('ls', '/run/mysqld')).code, 0, 'nor the way to databases')
}

/** Runs a program where a service runs: with its mounts and as its user. */
async function asProcessOf(machine: DebianMachine, service: string, command: string[]) {
  const shown = await machine.must('systemctl', 'show', '--value', '-p', 'MainPID', service)
  const user = ['runuser', '-u', service, '--']
  return machine.run(['nsenter', '-t', shown.trim(), '-m', '--', ...user, ...command])
}

/** All is there after a start of the machine, or of the panel. */
export async function showAllIsThere(t: Test, machine: DebianMachine, client: Client) {
  await until(async () => (await client('GET', '/accounts/bob')).status === 200, 60_000)
  t.match(await client('GET', '/accounts/bob'), { body: { username: 'bob', state: 'active' } })
  t.equal(await visit(machine, 'bob.example', '/who.php'), '200 PHP of bob')
  t.equal((await sftp(machine, 'bob', alice.password)).code, 0)
  const limit = ['systemctl', 'show', '--value', '-p', 'MemoryMax', 'user-20001.slice']
  t.equal((await machine.must(...limit)).trim(), String(128 * 2 ** 20))
}
