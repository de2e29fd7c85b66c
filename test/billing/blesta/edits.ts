import type { Test } from 'tap'
import { awkward, isClean } from '../scenarios.ts'
import { made, type Bench } from './bench.ts'

// Edits of an existing service.

export async function edits(t: Test, bench: Bench): Promise<void> {
  const { panel, php, faulty, server } = bench

  await t.test('an edit carries over what the panel can change, and only that', async t => {
    await php.run('connect', { ...server, port: faulty.port })
    const order = await made(t, bench)
    const { service, username } = order
    const edit = async (vars: object) => {
      const from = faulty.heard.length
      const outcome = await php.run('edit', { service, vars })
      isClean(t, outcome, [order.password, 'another password'])
      const { value } = await php.run('service', { service })
      const fields = value.fields.slice(0, 3).map((field: { value: string }) => field.value)
      return { ...outcome.value, calls: faulty.heard.length - from, fields }
    }
    const former = [order.domain, username, order.password]
    const use_module = 'true'
    // Blesta edits for many reasons; most don't concern the panel.
    t.match(await edit({ use_module }), { ok: true, calls: 0, fields: former })
    t.match(await edit({ use_module, panel_password: '' }), { calls: 0, fields: former })
    const same = { use_module, panel_password: order.password, panel_username: username }
    t.match(await edit(same), { ok: true, calls: 0, fields: former })
    for (const panel_domain of ['other.example', '']) {
      const renamed = await edit({ use_module, panel_domain })
      t.match(renamed, { ok: false, message: /keeps the domain/, calls: 0, fields: former })
    }
    t.match(await edit({ use_module, panel_username: 'other' }), { ok: false, fields: former })
    t.match(await edit({ use_module, panel_password: 'another password' }), {
      ok: true,
      calls: 2,
      fields: [order.domain, username, 'another password'],
    })
    const noted = { use_module: 'false', panel_domain: 'noted.example', panel_username: 'noted' }
    t.match(await edit(noted), {
      ok: true,
      calls: 0,
      fields: ['noted.example', 'noted', 'another password'],
    })
  })

  await t.test('a customer changes the password, and hears of no server', async t => {
    await php.run('connect', server)
    const order = await made(t, bench)
    const fields = (one: string, two = one) => ({
      panel_password: one,
      panel_confirm_password: two,
    })
    const press = async (given: object) => {
      const outcome = await php.run('press', {
        tab: 'tabClientActions',
        service: order.service,
        fields: given,
      })
      isClean(t, outcome, [panel.token, `new ${awkward}`])
      return outcome.value
    }
    const differs = await press(fields('long enough', 'but not the same'))
    t.match(differs, { ok: false, message: /do not match/ })
    t.match(await press(fields('short')), { ok: false, message: /8 to 128/ })
    t.match(await press({}), { ok: false, message: /8 to 128/ })
    const { ok, html } = await press(fields(`new ${awkward}`))
    t.ok(ok)
    t.match(html, 'The password has been changed.')
    t.notMatch(html, 'new p%C3')
    await php.run('connect', { ...server, token: 'pnl_wrong' })
    t.match(await press(fields('yet another password')), {
      ok: false,
      message: 'The control panel cannot be reached now. Please try again later.',
    })
    const { value } = await php.run('service', order)
    t.equal(value.fields[2].value, `new ${awkward}`)
  })
}
