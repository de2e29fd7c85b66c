import { randomInt } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import { fileTimeoutS, isFull } from '../support/full.ts'
import { readDescription } from '../support/api/description.ts'
import { makeCallers, startPanel } from '../support/api/fuzz/processes.ts'
import { fuzzRequest, plain, type FuzzRequest } from '../support/api/fuzz/requests.ts'
import { startRun } from '../support/api/fuzz/run.ts'
import { packageNames, passwordMark, usernames } from '../support/api/fuzz/values.ts'

// Random requests made from the committed description, and mutations of them, against the panel's
// real processes; PANEL_TEST_FULL=yes or FUZZ_REQUESTS ask for more of them, FUZZ_SEED for others.

const count = Number(process.env['FUZZ_REQUESTS'] ?? (isFull ? 10_000 : 1_000))
const seed = Number(process.env['FUZZ_SEED'] ?? randomInt(2 ** 31))
const outages = 100
t.setTimeout(fileTimeoutS * 1_000)

const operations = readDescription()
const panel = await startPanel(t)
const { callers, tokens } = await makeCallers(panel.pool, 2 * count)
const { found, send } = startRun(operations, panel.port, callers)
const requests = fc.sample(fuzzRequest(operations), { numRuns: count + outages, seed })

t.test(`${count} random requests of the seed ${seed} are answered as described`, async t => {
  await send(packages())
  await send(accounts())
  const half = count / 2
  await send(requests.slice(0, half))
  const halfWayMiB = panel.apiMemoryMiB()
  await send(requests.slice(half, count))
  t.strictSame([...found.faults], [])
  t.ok(panel.apiMemoryMiB() < halfWayMiB + 100, 'the second half has cost no memory')
})

t.test('among them the operations were done, and refused', async t => {
  const withStatus = (pattern: RegExp) =>
    operations.filter(({ id }) =>
      [...found.answers.keys()].some(seen => seen.startsWith(`${id} `) && pattern.test(seen)),
    )
  // By chance one may be missing.
  t.ok(withStatus(/ 20[012]$/).length >= operations.length - 2)
  t.ok(withStatus(/ 40[0-9]$/).length >= operations.length - 2)
})

t.test('while the database breaks connections, the answer is 503 and nothing worse', async t => {
  const breaking = setInterval(() => {
    void panel.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'panel_api'`,
    )
  }, 50)
  await send(requests.slice(count), true)
  clearInterval(breaking)
  t.strictSame([...found.faults], [])
  t.match(panel.log(), '"request failed"', 'there is something in the log')
})

t.test('the panel is as ready as before, and has kept every secret', async t => {
  const answer = await fetch(`http://127.0.0.1:${panel.port}/readyz`)
  t.equal(answer.status, 200, await answer.text())
  const log = panel.log()
  t.notOk(log.includes(passwordMark), 'no password is in it')
  // Without the prefix by which the log recognises a token.
  const reported = tokens.filter(token => log.includes(token.replace('pnl_', '')))
  t.equal(reported.length, 0)
})

function packages(): FuzzRequest[] {
  return packageNames.flatMap(name =>
    (['administrator', 'reseller'] as const).map(caller =>
      plain(caller, 'PUT', `/packages/${encodeURIComponent(name)}`, {}),
    ),
  )
}

// Half of the names stay free; every third account is a reseller's.
function accounts(): FuzzRequest[] {
  return usernames.slice(0, 6).map((username, index) =>
    plain(index % 3 === 0 ? 'reseller' : 'administrator', 'POST', '/accounts', {
      username,
      password: `${passwordMark}plain`,
      email: 'guest@example.com',
      package: packageNames[index],
    }),
  )
}
