import type { Test } from 'tap'
import { isClean, newOrder } from '../scenarios.ts'
import { unable, type PaymenterBench } from './bench.ts'

// A customer's actions on a service's page.

export async function buttons(t: Test, bench: PaymenterBench): Promise<void> {
  const { panel, php, faulty, server } = bench

  await t.test('a new password is in a file, and nowhere else', async t => {
    await php.run('connect', server)
    const order = newOrder()
    const { service } = order
    const { username } = (await php.run('create', order)).value
    const first = await php.run('setPassword', { service })
    isClean(t, first, [panel.token, first.value.password])
    t.match(first.value, { ok: true, password: /^[\w-]{24}$/, file: `${username}.txt` })
    t.not((await php.run('setPassword', { service })).value.password, first.value.password)
    const stored = (await php.run('properties', { service })).value
    const names = ['made_at', 'reference', 'seal', 'seller', 'server', 'username']
    t.strictSame(Object.keys(stored).sort(), ['domain', ...names.map(name => `panel_${name}`)])
    t.notOk(Object.values(stored).includes(first.value.password))
  })

  await t.test('a new password is asked about first', async t => {
    await php.run('connect', { ...server, port: faulty.port })
    const { service } = newOrder()
    await php.run('create', { ...newOrder(), service })
    const functions = async () => {
      const { value } = await php.run('page', { service })
      return value.map((action: { function?: string }) => action.function).filter(Boolean)
    }
    const press = async (name: string) =>
      (await php.run('press', { service, function: name })).value
    const from = faulty.heard.length
    t.strictSame(await functions(), ['login', 'resetPassword'])
    t.match(await press('makePassword'), { ok: false, message: /not allowed/ })
    t.match(await press('resetPassword'), { result: `https://billing.example/services/${service}` })
    t.strictSame(await functions(), ['login', 'makePassword'])
    t.match((await php.run('page', { service })).value[2], { type: 'text', text: /of now ends/ })
    // A page that was left open is no answer.
    await php.run('elapse', { service, seconds: 121 })
    t.strictSame(await functions(), ['login', 'resetPassword'])
    t.notOk(faulty.heard.slice(from).some(({ method }) => method !== 'GET'))
    await press('resetPassword')
    t.match(await press('makePassword'), { ok: true })
    t.strictSame(await functions(), ['login', 'resetPassword'])
  })

  await t.test('a panel that is down is a message on the page', async t => {
    await php.run('connect', server)
    const { service } = newOrder()
    await php.run('create', { ...newOrder(), service })
    await php.run('press', { service, function: 'resetPassword' })
    await php.run('connect', { ...server, port: '1' })
    for (const name of ['login', 'makePassword']) {
      const outcome = await php.run('press', { service, function: name })
      isClean(t, outcome, [panel.token])
      t.strictSame(outcome.value, { ok: false, message: unable }, name)
      t.match(outcome.logged, /does not answer/, 'the log has the reason')
    }
  })

  await t.test('an older Paymenter is reported, and loses no password', async t => {
    await php.run('connect', server)
    const { service } = newOrder()
    await php.run('create', { ...newOrder(), service })
    for (const version of ['1.2.11', 'v1.0.0']) {
      await php.run('setConfig', { 'app.version': version })
      const message = /takes Paymenter 1.3 or later, and this is 1\.[02]/
      t.match((await php.run('test')).value, { ok: false, message })
      const { value } = await php.run('page', { service })
      t.match(value, { length: 1, 0: { function: 'login' } })
    }
    for (const version of ['1.3.0', '1.10.0', 'development', 'beta', '1.5.8']) {
      await php.run('setConfig', { 'app.version': version })
      t.match((await php.run('test')).value, { ok: true }, version)
    }
  })
}
