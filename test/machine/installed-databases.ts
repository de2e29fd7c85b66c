import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { until } from '../support/until.ts'
import type { DebianMachine } from './debian-machine.ts'
import type { Client } from './installed.ts'

// MariaDB of an installed panel, asked as its customers and its administrator ask it.

const dropIn = '/etc/systemd/system/mariadb.service.d/panel.conf'

/** A database of the account bob's, as who knows its password meets it. */
export type Shop = { ask: (statement?: string) => ReturnType<DebianMachine['run']> }

/** The message on a server without databases: accounts go without. */
export async function showNoDatabases(t: Test, machine: DebianMachine): Promise<void> {
  const added = await machine.run(['panel', 'database', 'add', 'bob', 'shop', '--json'])
  t.match(added, { code: 1, stderr: /MariaDB is not installed on this server.*"unavailable"/ })
  t.not((await machine.run(['test', '-e', dropIn])).code, 0)
}

/** An account's database on a server that was set up for it. */
export async function addShop(t: Test, machine: DebianMachine): Promise<Shop> {
  const output = await machine.must('panel', 'database', 'add', 'bob', 'shop', '--json')
  const { password } = JSON.parse(output) as { password: string }
  const shop: Shop = {
    ask: (statement = 'SELECT 1') => {
      const client = ['mariadb', '--user=bob_shop', '--batch', '--execute', statement, 'bob_shop']
      // No user: processes of a suspended account are ended.
      const unknown = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--']
      return machine.run([...unknown, 'env', `MYSQL_PWD=${password}`, ...client])
    },
  }
  t.match(await shop.ask('CREATE TABLE t (a INT)'), { code: 0 })
  const found = await machine.must('mariadb', '--batch', '--execute', 'SELECT @@skip_networking')
  t.match(found, /^1$/m)
  t.equal((await machine.reach(['ss', '-Hltn', 'sport = 3306'])).stdout, '', 'nothing listens')
  const { stdout } = await machine.run(['panel', 'ctl', 'doctor', '--json'])
  const { checks } = JSON.parse(stdout) as { checks: { name: string; state: string }[] }
  const own = checks.filter(({ name }) => name.startsWith('mariadb/'))
  t.match(own, [{ state: 'ok' }, { state: 'ok' }])
  await machine.must(
    'mariadb',
    '--execute',
    'CREATE DATABASE others; CREATE TABLE others.t (a INT)',
  )
  return shop
}

/** A user suspended while MariaDB was down cannot log in at its start, however early. */
export async function showAdmission(
  t: Test,
  machine: DebianMachine,
  client: Client,
  { ask }: Shop,
): Promise<void> {
  const systemctl = (...words: string[]) => machine.must('systemctl', ...words)
  await systemctl('stop', 'mariadb')
  const suspended = await client('POST', '/accounts/bob/suspend', {})
  t.equal(suspended.status, 200, JSON.stringify(suspended.body))
  await systemctl('stop', 'panel-worker')
  await systemctl('start', '--no-block', 'mariadb')
  const isUp = async () => (await machine.run(['mariadb', '--execute', 'SELECT 1'])).code === 0
  await until(isUp, 60_000)
  t.match(await ask(), { code: 1, stderr: /ERROR 2002/ }, 'no login works before the worker')
  await systemctl('start', 'panel-worker', 'mariadb')
  t.match(await ask(), { code: 1, stderr: /ERROR 4151/ }, 'and then not who is suspended')
  t.match(await client('POST', '/accounts/bob/unsuspend', {}), { status: 200 })
  t.match(await ask('SELECT COUNT(*) FROM t'), { code: 0, stdout: /^0$/m })

  await systemctl('stop', 'panel-worker')
  // The same with two looks for those of 30 s.
  const own = readFileSync(join(machine.root, dropIn), 'utf8')
  const quick = own.replace('seq 150', 'seq 2')
  t.not(quick, own)
  await machine.must('mkdir', '-p', '/run/systemd/system/mariadb.service.d')
  const write = ['sh', '-c', 'cat >/run/systemd/system/mariadb.service.d/quick.conf']
  await machine.run(write, quick.replace(/^Exec/m, 'ExecStartPost=\nExec'))
  await systemctl('daemon-reload')
  await systemctl('restart', 'mariadb')
  t.match(await ask(), { code: 0 }, 'a worker that is down delays a login only briefly')
  await machine.must('rm', '-r', '/run/systemd/system/mariadb.service.d')
  await systemctl('daemon-reload')
  await systemctl('start', 'panel-worker')
}

/** Asserts the rest after the panel's removal: the databases, and no waiting for a worker. */
export async function showMariaDbAlone(t: Test, machine: DebianMachine, { ask }: Shop) {
  t.not((await machine.run(['test', '-e', dropIn])).code, 0)
  await machine.must('systemctl', 'restart', 'mariadb')
  t.match(await ask(), { code: 0 })
}

/** Asserts the rest after the accounts' removal: nothing of the panel's, as Debian has it. */
export async function showPurged(t: Test, machine: DebianMachine): Promise<void> {
  const found = await machine.must('mariadb', '--batch', '--execute', 'SHOW DATABASES')
  t.match(found, /^others$/m)
  t.notMatch(found, /bob/)
  const users = await machine.must('mariadb', '--batch', '--execute', 'SELECT User FROM mysql.user')
  t.notMatch(users, /bob|panel/)
  const open = await machine.must('mariadb', '--batch', '--execute', 'SELECT @@skip_networking')
  t.match(open, /^0$/m)
}
