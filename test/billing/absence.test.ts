import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import t from 'tap'
import { openPanel } from '../support/panel.ts'
import { openFaulty, refusal } from './faulty.ts'
import { startPhp, withoutPhp } from './php.ts'
import { isClean, newOrder, sellPackages } from './scenarios.ts'

// A cron job that goes through hundreds of services, of a panel that is away or busy.

t.test('a panel that is away', { skip: withoutPhp }, async t => {
  const panel = await openPanel(t)
  await sellPackages(panel)
  const { port } = new URL(panel.baseUrl)
  const server = { host: '127.0.0.1', isSecure: false, port, token: panel.token }

  await t.test('a missing account is waited for once', async t => {
    const php = startPhp(t, { operations: 'shared/operations.php' })
    await php.run('connect', server)
    const order = newOrder()
    const { service } = order
    t.match((await php.run('create', order)).value, { ok: true })
    await php.run('connect', { ...server, port: 1, seconds: 3 })
    const first = await php.run('suspend', { service })
    t.match(first.value, { ok: false, message: /does not answer/ })
    t.ok(first.ms > 500, 'it may be starting', { ms: first.ms })
    let ms = 0
    for (let number = 0; number < 200; number++) {
      const outcome = await php.run('suspend', { service })
      isClean(t, outcome, [panel.token])
      t.equal(outcome.value.message, first.value.message)
      ms += outcome.ms
    }
    t.ok(ms < 500, 'the others cost nothing', { ms })
    // Another panel is another matter.
    await php.run('connect', server)
    t.match((await php.run('suspend', { service })).value, { ok: true })
  })

  await t.test('a panel that fails is asked once, until it answers', async t => {
    const php = startPhp(t, { operations: 'shared/operations.php' })
    const faulty = await openFaulty(t, panel.baseUrl)
    await php.run('connect', { ...server, port: faulty.port, seconds: 3 })
    const order = newOrder()
    const { service } = order
    t.match((await php.run('create', order)).value, { ok: true })
    const asked = async (fails: boolean) => {
      faulty.always(fails ? { instead: refusal(503, 'The database is away') } : 'pass')
      const from = faulty.heard.length
      t.match((await php.run('suspend', { service })).value, { ok: !fails })
      return faulty.heard.length - from
    }
    const first = await asked(true)
    t.ok(first > 1)
    t.strictSame([await asked(true), await asked(true), await asked(false)], [1, 1, 1])
    t.equal(await asked(true), first, 'and is waited for again after that')
  })

  await t.test('a panel that accepts and never answers', async t => {
    const php = startPhp(t, { operations: 'shared/operations.php' })
    const faulty = await openFaulty(t, panel.baseUrl)
    await php.run('connect', { ...server, port: faulty.port })
    const order = newOrder()
    const { service } = order
    t.match((await php.run('create', order)).value, { ok: true })
    faulty.always('silent')
    const from = faulty.heard.length
    const first = await php.run('suspend', { service })
    t.match(first.value, { ok: false, message: /^The panel server does not answer: / })
    t.ok(first.ms > 5_000 && first.ms < 15_000, 'one service costs 15 s at most', { ms: first.ms })
    t.equal(faulty.heard.length - from, 1, 'it is tried once')
    let ms = 0
    for (let number = 0; number < 200; number++) {
      const outcome = await php.run('suspend', { service })
      t.equal(outcome.value.message, first.value.message)
      ms += outcome.ms
    }
    t.ok(ms < 500, 'the others cost nothing', { ms })
    t.equal(faulty.heard.length - from, 1)
  })

  await t.test('a panel that never completes the TLS handshake', async t => {
    const sockets: Socket[] = []
    const mute = createServer(socket => void sockets.push(socket)).listen(0, '127.0.0.1')
    t.teardown(() => {
      for (const socket of sockets) socket.destroy()
      mute.close()
    })
    await once(mute, 'listening')
    const { port } = mute.address() as AddressInfo
    const php = startPhp(t, { operations: 'shared/operations.php' })
    await php.run('connect', { host: 'localhost', isSecure: true, port, token: panel.token })
    const outcome = await php.run('test')
    t.match(outcome.value, { ok: false, message: /does not answer/ })
    t.ok(outcome.ms < 8_000, 'connecting takes 5 s at most', { ms: outcome.ms })
    t.equal(sockets.length, 1, 'it is tried once')
    t.ok((await php.run('packages')).ms < 100)
  })

  await t.test('a busy panel costs a service no more, and does not count as away', async t => {
    const php = startPhp(t, { operations: 'shared/operations.php' })
    const faulty = await openFaulty(t, panel.baseUrl)
    await php.run('connect', { ...server, port: faulty.port, seconds: 4 })
    const order = newOrder()
    const { service } = order
    t.match((await php.run('create', order)).value, { ok: true })
    const running = { instead: refusal(409, 'Still running', { 'retry-after': '1' }) }
    const busy = { instead: refusal(504, 'The work goes on', { 'retry-after': '5' }) }
    faulty.next(busy, ...Array(9).fill(running))
    const from = faulty.heard.length
    const outcome = await php.run('suspend', { service })
    t.match(outcome.value, { ok: false, message: /busy and still at work on this.*repeat/ })
    t.ok(outcome.ms < 4_000, 'within its time', { ms: outcome.ms })
    const keys = faulty.heard.slice(from).map(({ key }) => key)
    t.ok(keys.length > 1)
    t.equal(new Set(keys).size, 1)
    faulty.next()
    t.match((await php.run('suspend', { service })).value, { ok: true })
  })

  await t.test('a limit that is longer than the time is not waited for', async t => {
    const php = startPhp(t, { operations: 'shared/operations.php' })
    const faulty = await openFaulty(t, panel.baseUrl)
    await php.run('connect', { ...server, port: faulty.port })
    const order = newOrder()
    const { service } = order
    t.match((await php.run('create', order)).value, { ok: true })
    for (const seconds of ['60', '86400', '99999']) {
      faulty.next({ instead: refusal(429, 'Too many requests', { 'retry-after': seconds }) })
      const outcome = await php.run('suspend', { service })
      t.match(outcome.value, { ok: false, message: 'Too many requests' })
      t.ok(outcome.ms < 500, seconds, { ms: outcome.ms })
    }
  })

  await t.test('many services together take no longer than a page may', async t => {
    const php = startPhp(t, { operations: 'shared/operations.php' })
    const faulty = await openFaulty(t, panel.baseUrl)
    await php.run('connect', { ...server, port: faulty.port })
    const orders = [newOrder(), newOrder(), newOrder(), newOrder()]
    for (const order of orders) t.match((await php.run('create', order)).value, { ok: true })
    faulty.always({ delayMs: 1_100 })
    const services = orders.map(({ service }) => service)
    const outcome = await php.run('suspendAll', { services, seconds: 3 })
    t.ok(outcome.ms < 3_500, 'all of them', { ms: outcome.ms })
    t.match(outcome.value, [{ ok: true }, { ok: true }, { ok: false }, { ok: false }])
  })
})
