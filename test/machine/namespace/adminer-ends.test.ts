import { writeFileSync } from 'node:fs'
import t from 'tap'
import { until } from '../../support/until.ts'
import { signInAs } from '../../support/web/signed-in.ts'
import { base, isOver, openAdminerPanel, sql } from '../adminer.ts'

// A database in Adminer: what ends it, and what does not.

const opened = await openAdminerPanel(t)
const { panel, mariadb, database, worker, alice, enter, isLocked, expectOver } = opened

t.test('a session stays open in use, and ends after half an hour of rest', async t => {
  const window = await enter(alice)
  const rest = (minutes: number) =>
    panel.pool.query(
      `update panel.adminer_sessions set last_seen_at = now() - make_interval(mins => $1)`,
      [minutes],
    )
  await rest(29)
  t.match((await window.ask('/')).status, 200)
  await rest(2)
  t.match((await window.ask('/')).status, 200)
  const sleeping = sql(window, 'SELECT SLEEP(600)')
  const shown = () => mariadb.root('SHOW PROCESSLIST')
  await until(async () => (await shown()).includes('SLEEP'))
  await rest(31)
  await expectOver(window)
  await sleeping
})

t.test('a second one ends the first, and the button ends any', async t => {
  const first = await enter(alice)
  const second = await enter(alice)
  t.ok(await isOver(first))
  t.equal((await second.ask('/')).status, 200)
  const closed = await alice.submit(`${base}/alice_shop/adminer/close`)
  t.equal(closed.headers.location, `${base}/alice_shop`)
  await expectOver(second)
  const third = await enter(alice)
  t.match(await third.ask('/', { logout: 'Logout' }), { headers: { location: '/over' } })
  t.match(await third.ask('/over'), { status: 303 })
  t.equal(third.cookie, '')
  await expectOver(third)
})

t.test('an import does not wait: either of the two reports the other', async t => {
  const window = await enter(alice)
  writeFileSync('/var/tmp/dump.sql', 'INSERT INTO own VALUES ("dumped"); DO SLEEP(3);')
  const refused = await database('import', 'alice', 'alice_shop', '/var/tmp/dump.sql')
  t.match(refused, { code: 1, stderr: /alice_shop is open in Adminer: close it there/ })
  t.equal((await window.ask('/')).status, 200)
  await alice.submit(`${base}/alice_shop/adminer/close`)
  const importing = database('import', 'alice', 'alice_shop', '/var/tmp/dump.sql')
  await until(async () => (await mariadb.root('SHOW PROCESSLIST')).includes('SLEEP'))
  const busy = await alice.submit(`${base}/alice_shop/adminer`)
  t.match(busy, { status: 422, text: 'A dump is being imported' })
  t.equal((await importing).code, 0)
  t.match(await (await enter(alice)).ask('/?select=own'), { text: /dumped/ })
  // Requests that were made while the other was on its way.
  await panel.pool.query(`delete from panel.adminer_sessions`)
})

t.test('the end of the panel’s session ends it too', async t => {
  const signOut = await signInAs(panel, 'alice')
  const one = await enter(signOut)
  t.equal((await signOut.submit('/account/sign-out')).status, 303)
  await expectOver(one)
  const two = await enter(await signInAs(panel, 'alice'))
  const body = { password: 'another long password' }
  const changed = await panel.call('PUT', '/api/v1/accounts/alice/password', { body })
  t.equal(changed.status, 200, changed.text)
  await expectOver(two)
})

t.test('a suspension ends it before it is answered, and lifting that opens nothing', async t => {
  const window = await enter(await signInAs(panel, 'alice'))
  const sleeping = sql(window, 'SELECT SLEEP(600)')
  await until(async () => (await mariadb.root('SHOW PROCESSLIST')).includes('SLEEP'))
  t.equal((await panel.call('POST', '/api/v1/accounts/alice/suspend', { body: {} })).status, 200)
  t.ok(await isLocked('alice'))
  t.notMatch(await mariadb.root('SHOW PROCESSLIST'), /SLEEP/)
  t.ok(await isOver(window))
  await sleeping
  t.equal((await panel.call('POST', '/api/v1/accounts/alice/unsuspend', { body: {} })).status, 200)
  t.ok(await isOver(window))
  t.ok(await isLocked('alice'))
})

t.test('a session left open by a killed worker is closed by the next', async t => {
  const window = await enter(await signInAs(panel, 'alice'))
  await worker.kill()
  await panel.pool.query(
    `update panel.adminer_sessions set last_seen_at = now() - interval '31 minutes'`,
  )
  t.ok(await isOver(window), 'nginx refuses access, whether it is locked or not')
  t.notOk(await isLocked('alice'))
  await panel.startMachineWorker()
  await expectOver(window)
})

t.test('a database that goes takes it along, and so does its account', async t => {
  const customer = await signInAs(panel, 'alice')
  const window = await enter(customer)
  const confirm = { confirm: 'alice_shop' }
  t.equal((await customer.submit(`${base}/alice_shop/remove`, confirm)).status, 303)
  t.ok(await isOver(window))
  const bob = await enter(await signInAs(panel, 'bob'), 'bob')
  t.equal((await panel.call('DELETE', '/api/v1/accounts/bob')).status, 200)
  t.ok(await isOver(bob))
  t.equal(await mariadb.root(`SELECT User FROM mysql.global_priv WHERE User LIKE 'panel%'`), '')
})
