import t from 'tap'
import { openPanel } from '../panel.ts'
import { openFaulty, refusal } from './faulty.ts'
import { startPhp, transports, withoutPhp } from './php.ts'
import { isClean, newOrder, sellPackages } from './scenarios.ts'

// A cron job that goes through hundreds of services, of a panel that is away.

t.test('a panel that is away', { skip: withoutPhp }, async t => {
  const panel = await openPanel(t)
  await sellPackages(panel)
  const { port } = new URL(panel.baseUrl)
  const server = { host: '127.0.0.1', isSecure: false, port, token: panel.token }

  for (const transport of transports) {
    await t.test(`nobody there is waited for once, over ${transport}`, async t => {
      const php = startPhp(t, { transport, operations: 'shared/operations.php' })
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
  }

  await t.test('one that fails is asked once, until it answers', async t => {
    const php = startPhp(t, { transport: 'curl', operations: 'shared/operations.php' })
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
    t.equal(await asked(true), first, 'and is waited for anew after that')
  })
})
