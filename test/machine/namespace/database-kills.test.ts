import t, { type Test } from 'tap'
import { openDatabasePanel } from '../databases.ts'
import { interruptedWorkers, throughout } from '../interrupted-workers.ts'
import { startServices } from '../machine.ts'

// The worker is killed before each statement that it sends to MariaDB, and after the last one: the
// next worker ends what was begun, and it is reported once.

startServices('nginx')
const { panel, mariadb, say, addAccount, events, look } = await openDatabasePanel(t)
const { next, interrupted } = interruptedWorkers(panel.databaseUrl)

const first = await next()
await panel.call('PUT', '/api/v1/packages/starter', { body: { max_databases: 9 } })
await addAccount('alice')
await say('database', 'add', 'alice', 'kept')
await first.stop()
const before = await look()

/**
 * Asks a worker that ends before that statement, and the next one; returns whether it has ended.
 */
async function ask(t: Test, number: number, words: string[]): Promise<boolean> {
  const all = ['database', ...words, '--json', '--idempotency-key', `${words[0]} ${number}`]
  const { answer: result, isKilled, successor } = await interrupted(t, number, () => say(...all))
  t.equal(result.code, 0, result.stderr)
  const { password: _, ...answer } = result.json()
  t.strictSame((await say(...all)).json(), answer, 'a repeat gets the same answer')
  await successor.stop()
  return isKilled
}

const reported = async (name: string, database: string) =>
  (await events(name)).filter(({ data }) => data.database === database).length

t.test('creates and drops', async t => {
  await throughout(t, async (t, number) => {
    const name = `alice_n${number}`
    const isKilled = await ask(t, number, ['add', 'alice', `n${number}`])
    t.equal(await reported('database.created', name), 1)
    t.match(await look(), new RegExp(`^${name}$`, 'm'))
    t.match(await look(), new RegExp(`^localhost\\t${name.replace('_', '.+')}\\t${name}\\tY`, 'm'))
    await ask(t, number, ['rm', 'alice', name, '--yes'])
    t.equal(await reported('database.deleted', name), 1)
    t.equal(await look(), before)
    return isKilled
  })
})

t.test('users and passwords', async t => {
  await throughout(t, async (t, number) => {
    const words = ['user', 'alice', 'alice_kept', 'alice_reader', '--rights']
    const isKilled = await ask(t, number, [...words, number % 2 ? 'read' : 'none'])
    const isThere = /^alice_reader\tlocalhost/m.test(await look())
    t.equal(isThere, number % 2 === 1)
    await ask(t, number, ['password', 'alice', 'alice_kept'])
    const grants = await mariadb.root('SHOW GRANTS FOR alice_kept@localhost')
    t.match(grants, /alice\\\\_kept/)
    return isKilled
  })
})

t.test('a terminate', async t => {
  await throughout(t, async (t, number) => {
    const username = `bob${number}`
    const worker = await next()
    await addAccount(username)
    const { password } = (await say('database', 'add', username, 'db', '--json')).json()
    await mariadb.as(`${username}_db`, password, 'CREATE TABLE t (a INT)', `${username}_db`)
    await worker.stop()
    const terminate = () => panel.call('DELETE', `/api/v1/accounts/${username}`)
    const { answer: response, isKilled, successor } = await interrupted(t, number, terminate)
    t.equal(response.status, 200)
    await successor.stop()
    t.notMatch(await look(), new RegExp(username))
    t.equal(await reported('database.deleted', `${username}_db`), 1)
    return isKilled
  })
})
