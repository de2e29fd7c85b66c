import { join } from 'node:path'
import { TOTP } from 'otpauth'
import t from 'tap'
import { openPool } from '../../src/db.ts'
import { addOperator, getOperator } from '../../src/model/sellers/operators.ts'
import {
  beginEnrolment,
  confirmEnrolment,
  factorsKey,
} from '../../src/model/signing-in/second-factors.ts'
import { readServerKey } from '../../src/model/server/server-key.ts'
import { ensureServerKey } from '../../src/start/server-key.ts'
import { startApi } from '../support/api/api-process.ts'
import { openPanel } from '../support/panel.ts'
import { until } from '../support/until.ts'
import { form, openBrowser, type Browser } from '../support/web/person.ts'

// The process of the pages dies between the steps of a sign-in: a session needs every step, and no
// code is used up in vain.

const panel = await openPanel(t, { hasWorker: false })
const { pool } = panel
const stateDir = join(panel.root, '..')
await ensureServerKey(join(stateDir, 'key'))
const key = factorsKey(readServerKey(join(stateDir, 'key')))
const password = 'a password of it'
await addOperator(pool, { name: 'boss', role: 'administrator', email: 'b@example.com', password })

const start = () =>
  startApi(t, panel.databaseUrl, {
    PANEL_STATE_DIR: stateDir,
    PANEL_BASE_URL: 'https://panel.test:8443',
  })
const sessions = async () =>
  (await pool.query('select from panel.sessions where expires_at > now()')).rowCount
const codesLeft = async () =>
  (await pool.query('select from panel.recovery_codes where used_at is null')).rowCount

/** Kills the process while what it does waits for a lock on this table. */
async function killedAt(table: string, act: (browser: Browser) => Promise<unknown>, from: Browser) {
  const api = await start()
  const holder = await pool.connect()
  await holder.query(`begin; lock table panel.${table} in access exclusive mode`)
  const lost = act(from.at(api.baseUrl)).catch((error: Error) => error)
  await until(async () => {
    const { rowCount } = await pool.query(
      `select from pg_locks where not granted and relation = 'panel.${table}'::regclass`,
    )
    return rowCount! > 0
  })
  await api.kill()
  t.type(await lost, Error)
  await holder.query('rollback')
  holder.release()
  // Operations that it had begun come to their end.
  await until(async () => {
    const { rowCount } = await pool.query(
      `select from pg_stat_activity where application_name = 'panel_api'
         and datname = current_database() and xact_start is not null and pid in (
           select pid from pg_stat_activity where backend_type = 'client backend')`,
    )
    return rowCount === 0
  })
}

const person = openBrowser('')
const enter = (browser: Browser) => browser.submit('/sign-in', { username: 'boss', password })

t.test('before the session is written there is none', async t => {
  await killedAt('sessions', enter, person)
  t.equal(await sessions(), 0)
  const { baseUrl } = await start()
  t.equal((await enter(person.at(baseUrl))).status, 303, 'and the next try is right')
  t.equal(await sessions(), 1)
  await pool.query('delete from panel.sessions')
})

let codes: string[] = []

t.test('between password and code no session exists, and the code still comes', async t => {
  codes = await enrol()
  const first = await start()
  const { headers } = await enter(person.at(first.baseUrl))
  t.match(headers.location, '/sign-in/code')
  await first.kill()
  const { baseUrl } = await start()
  const browser = person.at(baseUrl)
  t.equal((await browser.get('/overview')).status, 303)
  t.equal((await browser.get('/sign-in/code')).status, 200)
  t.equal(await sessions(), 0)
})

t.test('a recovery code is used up together with the session that it opens', async t => {
  const code = codes[0]!
  await killedAt('sessions', browser => browser.submit('/sign-in/code', { code }), person)
  t.equal(await sessions(), 0)
  t.equal(await codesLeft(), 10)
  const { baseUrl } = await start()
  const browser = person.at(baseUrl)
  t.equal((await browser.submit('/sign-in/code', { code })).status, 303)
  t.equal((await browser.get('/overview')).status, 200)
  t.equal(await codesLeft(), 9)
  t.equal(await sessions(), 1)
})

t.test('a sign-out that was lost is asked for again', async t => {
  const { baseUrl } = await start()
  const token = form(await person.at(baseUrl).get('/overview'))
  await killedAt('sessions', browser => browser.submit('/sign-out', token), person)
  const next = await start()
  const browser = person.at(next.baseUrl)
  t.equal((await browser.get('/overview')).status, 200)
  t.equal((await browser.submit('/sign-out', token)).status, 303)
  t.equal((await browser.get('/overview')).status, 303)
})

/** Gives the person a second factor; returns its recovery codes. */
async function enrol(): Promise<string[]> {
  const api = openPool(panel.databaseUrl, 'panel_api', 1)
  const boss = { kind: 'operator', id: (await getOperator(pool, 'boss')).id, name: 'boss' } as const
  const { secret } = await beginEnrolment(api, boss, 'panel.test', key)
  const made = await confirmEnrolment(api, boss, new TOTP({ secret }).generate(), key)
  await api.end()
  return made
}
