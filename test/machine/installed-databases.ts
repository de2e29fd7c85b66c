import type { Test } from 'tap'
import type { DebianMachine } from './debian-machine.ts'

// MariaDB of an installed panel, asked as its customers and its administrator ask it.

const dropIn = '/etc/systemd/system/mariadb.service.d/panel.conf'

/** A database of the account bob's, as its owner meets it. */
export type Shop = { ask: (statement?: string) => ReturnType<DebianMachine['run']> }

/** What is said where nobody has asked for databases: accounts go without. */
export async function showNoDatabases(t: Test, machine: DebianMachine): Promise<void> {
  const added = await machine.run(['panel', 'database', 'add', 'bob', 'shop', '--json'])
  t.match(added, { code: 1, stderr: /There is no MariaDB on this server.*"unavailable"/ })
  t.not((await machine.run(['test', '-e', dropIn])).code, 0)
}

/** An account's database on a server that was set up for it. */
export async function addShop(t: Test, machine: DebianMachine): Promise<Shop> {
  const said = await machine.must('panel', 'database', 'add', 'bob', 'shop', '--json')
  const { password } = JSON.parse(said) as { password: string }
  const shop: Shop = {
    ask: (statement = 'SELECT 1') => {
      const client = ['mariadb', '--user=bob_shop', '--batch', '--execute', statement, 'bob_shop']
      return machine.run(['runuser', '-u', 'bob', '--', 'env', `MYSQL_PWD=${password}`, ...client])
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

/** What is left of it with the panel taken off: the databases. */
export async function showMariaDbAlone(t: Test, machine: DebianMachine, { ask }: Shop) {
  t.not((await machine.run(['test', '-e', dropIn])).code, 0)
  await machine.must('systemctl', 'restart', 'mariadb')
  t.match(await ask(), { code: 0 })
}

/** What is left of it with the accounts gone: what is not the panel's, as Debian has it. */
export async function showPurged(t: Test, machine: DebianMachine): Promise<void> {
  const found = await machine.must('mariadb', '--batch', '--execute', 'SHOW DATABASES')
  t.match(found, /^others$/m)
  t.notMatch(found, /bob/)
  const users = await machine.must('mariadb', '--batch', '--execute', 'SELECT User FROM mysql.user')
  t.notMatch(users, /bob|panel/)
  const open = await machine.must('mariadb', '--batch', '--execute', 'SELECT @@skip_networking')
  t.match(open, /^0$/m)
}
