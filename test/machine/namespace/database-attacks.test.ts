import { mkdirSync } from 'node:fs'
import t from 'tap'
import { sessionLimits } from '../../../src/host/mariadb/settings.ts'
import { until } from '../../support/until.ts'
import { openDatabasePanel } from '../databases.ts'
import { hostile } from '../hostile.ts'
import { putFile, startServices, visit } from '../machine.ts'
import { socket } from '../mariadb.ts'

// Two customers of databases against each other and against the server: what one may do with its
// own reaches nothing else, by the client and by PHP.

startServices('nginx')
const { panel, mariadb, say, done, addAccount, look } = await openDatabasePanel(t)
await panel.startMachineWorker()
await panel.call('PUT', '/api/v1/packages/starter', { body: { max_databases: 3 } })

// Where the pattern of a grant that is not escaped would reach: `a_b` stands for `axb` too.
const names = ['we_shop', 'weyshop', 'ab_cd', 'ab']
const passwords = new Map<string, string>()
for (const name of names) {
  await addAccount(name, { domain: `${name.replaceAll('_', '-')}.example` })
  const { password } = await done('add', name, 'db')
  passwords.set(name, password)
}
const as = (name: string, statements: string, database = `${name}_db`) =>
  mariadb.as(`${name}_db`, passwords.get(name)!, statements, database)
await as('weyshop', 'CREATE TABLE secret (a TEXT); INSERT INTO secret VALUES ("theirs")')
await as('we_shop', 'CREATE TABLE own (a TEXT); INSERT INTO own VALUES ("mine")')

const refused = hostile('we_shop_db', 'weyshop_db')

t.test('one customer’s rights reach no other, and not the server', async t => {
  const before = await look()
  for (const statement of refused) {
    const { code, stderr } = await as('we_shop', statement)
    t.equal(code, 1, statement)
    t.match(
      stderr,
      /ERROR (1044|1045|1142|1148|1193|1227|1290|1131|1370|1410|1238|1621|4166)/,
      statement,
    )
  }
  t.equal(await look(), before)
  t.equal((await as('weyshop', 'SELECT a FROM secret')).stdout, 'theirs\n')
})

t.test('a session gets no more memory or room than it was given', async t => {
  for (const option of sessionLimits) {
    const [, words = '', value = '', unit] = /^maximum-(\S+) = (\d+)(\w)$/.exec(option) ?? []
    const name = words.replaceAll('-', '_')
    const asked = await as('we_shop', `SET SESSION ${name} = 4000000000; SELECT @@${name}`)
    const max = Number(value) * 2 ** (unit === 'G' ? 30 : 20)
    t.equal(asked.code, 0, asked.stderr)
    t.ok(Number(asked.stdout) <= max, `${option}: ${asked.stdout}`)
  }
})

t.test('a user sees nothing of another: no names, processes or files', async t => {
  const shown = await as('we_shop', 'SHOW DATABASES; SHOW PROCESSLIST; SHOW GRANTS')
  t.notMatch(shown.stdout, /weyshop|ab_|root/)
  const tables = 'SELECT TABLE_SCHEMA FROM information_schema.TABLES'
  t.notMatch((await as('we_shop', tables)).stdout, /weyshop|^mysql/m)
  t.equal((await as('we_shop', "SELECT LOAD_FILE('/etc/passwd')")).stdout, 'NULL\n')
})

t.test('connections of other users cannot be ended', async t => {
  const theirs = as('weyshop', 'SELECT SLEEP(600)')
  const shown = () => mariadb.root('SHOW PROCESSLIST')
  const line = await until(async () => /^(\d+)\tweyshop_db\t.*SLEEP/m.exec(await shown()) ?? false)
  for (const kill of [`KILL ${line[1]}`, `KILL USER 'weyshop_db'@'localhost'`, 'KILL USER root']) {
    await as('we_shop', kill)
    await as('we_shop', kill.replace('KILL', 'KILL HARD'))
  }
  t.match(await shown(), /weyshop_db.*SLEEP/)
  await mariadb.root(`KILL ${line[1]}`)
  await theirs
})

t.test('a file elsewhere is no place for a table', async t => {
  mkdirSync('/var/tmp/elsewhere')
  await as('we_shop', "CREATE TABLE d (a INT) DATA DIRECTORY = '/var/tmp/elsewhere'")
  const where = await mariadb
    .root(
      `SELECT FILENAME FROM information_schema.FILES
    WHERE FILENAME LIKE '%elsewhere%'`,
    )
    .catch(() => '')
  t.equal(where, '')
})

t.test('names that only seem to be another’s are kept apart both ways', async t => {
  t.equal((await as('ab_cd', 'SELECT 1', 'ab_db')).code, 1)
  t.equal((await as('ab', 'SELECT 1', 'ab_cd_db')).code, 1)
  t.match(await say('database', 'rm', 'ab', 'ab_cd_db', '--yes'), {
    code: 1,
    stderr: /Unknown database: ab_cd_db/,
  })
  t.match(await say('database', 'password', 'ab', 'ab_cd_db'), { code: 1, stderr: /Unknown/ })
  t.match(await say('database', 'user', 'ab', 'ab_db', 'ab_cd_db'), {
    code: 1,
    stderr: /user must be/,
  })
})

t.test('PHP of one account reaches no more than its customer does', async t => {
  const { rows } = await panel.pool.query(
    `select uid from panel.accounts where username = 'we_shop'`,
  )
  const [{ uid }] = rows
  const folder = '/home/we_shop/sites/we-shop.example/public'
  await putFile({ uid }, `${folder}/refused.json`, JSON.stringify(refused))
  await putFile({ uid }, `${folder}/password.txt`, passwords.get('we_shop')!)
  await putFile(
    { uid },
    `${folder}/try.php`,
    `<?php
mysqli_report(MYSQLI_REPORT_OFF);
$open = fn() => mysqli_connect('localhost', 'we_shop_db', trim(file_get_contents('password.txt')),
  'we_shop_db', null, '${socket}');
$db = $open();
echo $db->query('SELECT a FROM own')->fetch_row()[0], "\\n";
foreach (json_decode(file_get_contents('refused.json')) as $statement) {
  if ($open()->query($statement) !== false) echo "DONE $statement\\n";
}
foreach (['root', 'mysql', 'weyshop_db'] as $user) {
  foreach (['', 'x', 'invalid'] as $password) {
    if (@mysqli_connect('localhost', $user, $password, '', null, '${socket}')) echo "IN $user\\n";
  }
}
echo 'end';`,
  )
  t.strictSame(await visit('we-shop.example', '/try.php'), { status: 200, text: 'mine\nend' })
})
