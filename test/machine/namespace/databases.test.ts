import { dirname } from 'node:path'
import t from 'tap'
import { callPanel } from '../../cli/fixtures/run-panel.ts'
import { alice } from '../../panel.ts'
import { openLinuxPanel, startServices } from '../machine.ts'
import { startMariaDb } from '../mariadb.ts'

// Databases of accounts on a real MariaDB, through the commands and the panel's own worker.

startServices('nginx')
const mariadb = await startMariaDb(t)
const panel = await openLinuxPanel(t)
await panel.startMachineWorker()
const environment = {
  DATABASE_URL: panel.databaseUrl,
  PANEL_HOST: 'linux',
  PANEL_STATE_DIR: dirname(panel.root),
}
const database = (...words: string[]) => callPanel(['database', ...words], environment)

await panel.call('PUT', '/api/v1/packages/starter', { body: { max_databases: 3 } })
t.equal((await panel.call('POST', '/api/v1/accounts', { body: alice })).status, 201)

t.test('a database is made with a user, whose password is shown once', async t => {
  const added = await database('add', 'alice', 'shop', '--json', '--idempotency-key', 'one')
  t.equal(added.code, 0, added.stderr)
  const { password, ...shown } = added.json()
  t.strictSame(shown, {
    ...{ database: 'alice_shop', user: 'alice_shop' },
    ...{ host: 'localhost', socket: '/run/mysqld/mysqld.sock' },
  })
  t.match(password, /^[A-Za-z0-9]{24}$/)
  const who = await mariadb.as('alice_shop', password, 'SELECT CURRENT_USER()')
  t.match(who, { code: 0, stdout: 'alice_shop@localhost\n' }, who.stderr)
})
