import { writeFileSync } from 'node:fs'
import t from 'tap'
import { until } from '../../support/until.ts'
import { openDatabasePanel } from '../databases.ts'
import { interruptedWorkers, throughout } from '../interrupted-workers.ts'
import { run, startServices } from '../machine.ts'

// The worker is killed during operations on existing databases: the next worker ends what was
// begun. (Makes and drops: database-kills.test.ts.)

startServices('nginx')
const { panel, mariadb, database, done, addAccount, events, look } = await openDatabasePanel(t)
const { pool } = panel
const { next, interrupted } = interruptedWorkers(panel.databaseUrl)

const first = await next()
await panel.call('PUT', '/api/v1/packages/starter', { body: {} })
await addAccount('alice')
const { password } = await done('add', 'alice', 'kept')
const asKept = (statement: string) => mariadb.as('alice_kept', password, statement, 'alice_kept')
await asKept('CREATE TABLE t (a INT)')
await first.stop()
const before = await look()
const post = (word: string) => () => panel.call('POST', `/api/v1/accounts/alice/${word}`)
const shown = () => mariadb.root('SHOW FULL PROCESSLIST')
const isAtRest = async () =>
  (await pool.query(`select from panel.operations where state not in ('done', 'failed')`))
    .rowCount === 0

t.test('suspensions, and what lifts them', async t => {
  let rounds = 0
  await throughout(
    t,
    async (t, number) => {
      rounds += 1
      const suspended = await interrupted(t, number, post('suspend'))
      await suspended.successor.stop()
      t.equal(suspended.answer.status, 200, suspended.answer.text)
      t.match(await asKept('SELECT 1'), { code: 1, stderr: /4151/ })
      const {
        answer: response,
        isKilled,
        successor,
      } = await interrupted(t, number, post('unsuspend'))
      await successor.stop()
      t.equal(response.status, 200, response.text)
      t.equal(await look(), before)
      t.equal((await events('account.suspended')).length, rounds)
      return suspended.isKilled || isKilled
    },
    3,
  )
})

t.test('the freeze of what is full, and its end', async t => {
  const freeze = (at: string) => async () => {
    await pool.query(`update panel.databases set frozen_at = ${at}`)
    await pool.query(`select panel.apply_accounts(array_agg(id)) from panel.accounts`)
    await until(isAtRest)
  }
  await throughout(
    t,
    async (t, number) => {
      const frozen = await interrupted(t, number, freeze('now()'))
      await frozen.successor.stop()
      t.match(await asKept('INSERT INTO t VALUES (1)'), { code: 1, stderr: /1142/ })
      const { isKilled, successor } = await interrupted(t, number, freeze('null'))
      await successor.stop()
      t.equal(await look(), before)
      return frozen.isKilled || isKilled
    },
    3,
  )
})

const isLocked = async () => /^panel_\d+\tlocalhost\t\S+\t1\t/m.test(await look())
const dump = (...words: string[]) =>
  database('import', 'alice', 'alice_kept', '/var/tmp/dump', ...words)

t.test('imports, which are not begun again', async t => {
  writeFileSync('/var/tmp/dump', 'CREATE TABLE IF NOT EXISTS i (a INT);\n')
  await throughout(t, async (t, number) => {
    const { answer: result, isKilled, successor } = await interrupted(t, number, () => dump())
    await successor.stop()
    if (isKilled)
      t.match(result, { code: 1, stderr: /interrupted. The first part of the file may/ })
    else t.equal(result.code, 0, result.stderr)
    t.ok(await isLocked())
    return isKilled
  })
})

t.test('a kill during a statement of MariaDB', async t => {
  writeFileSync('/var/tmp/dump', 'DO SLEEP(600); CREATE TABLE late (a INT);\n')
  const { answer: result, successor } = await interrupted(t, 0, async worker => {
    const importing = dump()
    await until(async () => (await shown()).includes('SLEEP'))
    await worker.kill()
    return importing
  })
  t.match(result, { code: 1, stderr: /interrupted/ })
  await successor.stop()
  t.notMatch(await shown(), /SLEEP/)
  t.ok(await isLocked())
  t.equal((await run('pgrep', ['-x', 'mariadb'])).stdout, '', 'its client is gone')
  t.equal((await asKept('SHOW TABLES')).stdout, 'i\nt\n')
})

t.test('tables are rebuilt', async t => {
  const locking = mariadb.root('LOCK TABLES alice_kept.t WRITE; DO SLEEP(600)')
  locking.catch(() => undefined)
  await until(async () => (await shown()).includes('SLEEP'))
  const { answer: result, successor } = await interrupted(t, 0, async worker => {
    const optimizing = database('optimize', 'alice', 'alice_kept')
    await until(async () => (await shown()).includes('OPTIMIZE'))
    await worker.kill()
    await mariadb.root(`KILL ${/^\d+(?=.*SLEEP)/m.exec(await shown())![0]}`)
    return optimizing
  })
  t.equal(result.code, 0, result.stderr)
  await successor.stop()
  t.notMatch(await shown(), /OPTIMIZE/)
  t.equal((await asKept('SELECT COUNT(*) FROM t')).stdout, '0\n')
})
