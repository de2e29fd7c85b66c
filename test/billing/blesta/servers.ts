import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Test } from 'tap'
import { refusal } from '../faulty.ts'
import { isClean, newOrder } from '../scenarios.ts'
import { openSecure } from '../secure.ts'
import type { Bench } from './bench.ts'

// An administrator's input: servers, and packages for sale.

export async function servers(t: Test, bench: Bench): Promise<void> {
  const { panel, php, faulty, root, server, sellersToken } = bench
  const { port } = server

  await t.test('a server is stored only when it answers', async t => {
    const answered = async (given: object) => {
      await php.run('connect', { ...server, ...given })
      const outcome = await php.run('test')
      isClean(t, outcome, [panel.token, 'pnl_wrong'])
      if (!outcome.value.ok) t.strictSame(outcome.value.meta, [])
      return outcome.value
    }
    t.match(await answered({}), {
      ok: true,
      meta: [
        { key: 'server_name', encrypted: 0 },
        { key: 'host_name', value: '127.0.0.1', encrypted: 0 },
        { key: 'port', value: String(port), encrypted: 0 },
        { key: 'plain', value: 'true', encrypted: 0 },
        { key: 'api_token', value: panel.token, encrypted: 1 },
      ],
    })
    t.match(await answered({ token: sellersToken }), { ok: true })
    t.match(await answered({ token: 'pnl_wrong' }), { message: /Make a new one in the panel/ })
    t.match(await answered({ token: '' }), { message: 'Enter the API token of the panel server.' })
    t.match(await answered({ host: '', isSecure: true }), {
      message: 'Enter the host name of the panel server.',
    })
    t.match(await answered({ host: 'panel.example' }), { message: /by https only/ })
    t.match(await answered({ isSecure: true, port: '99999' }), { message: /1 to 65535/ })
    t.match(await answered({ isSecure: true }), {
      ok: false,
      message: /not trusted|does not answer/,
    })
  })

  await t.test('a host name that was typed as an address is stored as a host name', async t => {
    const { port, authority } = await openSecure(t, panel.baseUrl)
    await writeFile(join(root, 'components/modules/panel/ca.pem'), authority)
    const stored = async (host: string, more = {}) => {
      await php.run('connect', { ...server, isSecure: true, port, host, ...more })
      const { value } = await php.run('test')
      t.match(value, { ok: true }, host, value)
      const entries = value.meta.map((each: { key: string; value: string }) => [
        each.key,
        each.value,
      ])
      return Object.fromEntries(entries)
    }
    for (const host of ['https://LocalHost', `https://localhost:${port}/`, ' localhost ']) {
      const desired = { host_name: 'localhost', port: String(port), plain: 'false' }
      t.match(await stored(host), desired, host)
    }
    // On loopback without TLS, as it is after that.
    const plain = await stored('http://127.0.0.1', { port: server.port })
    t.match(plain, { host_name: '127.0.0.1', plain: 'true' })
    await php.run('storeRow', { meta: plain })
    const outcome = await php.run('create', newOrder())
    t.match(outcome.value, { ok: true })
    const page = await php.run('page', { method: 'manageEditRow', given: { meta: plain } })
    t.match(page.value, 'value="http://127.0.0.1"')
  })

  await t.test('a token that is left empty stays, and no page shows it', async t => {
    await php.run('connect', server)
    const vars = { server_name: 'Other', host_name: 'http://127.0.0.1', port, api_token: '' }
    const edited = await php.run('editRow', { vars })
    isClean(t, edited, [panel.token])
    t.match(edited.value.meta.at(-1), { key: 'api_token', value: panel.token, encrypted: 1 })
    const wrong = await php.run('editRow', { vars: { ...vars, api_token: 'pnl_wrong' } })
    t.match(wrong.value, { ok: false, meta: [] })
    const nameless = await php.run('editRow', { vars: { ...vars, server_name: '' } })
    t.match(nameless.value, { ok: false, message: 'Enter a label for the server.' })

    const given = { meta: { ...vars, server_name: `"><b>`, api_token: panel.token } }
    for (const page of [
      { method: 'manageEditRow', given },
      { method: 'manageEditRow', given, vars: given.meta },
      { method: 'manageAddRow', given: {}, vars: given.meta },
    ]) {
      const { value: html, warnings } = await php.run('page', page)
      t.strictSame(warnings, [])
      t.match(html, 'value="&quot;&gt;&lt;b&gt;"')
      t.match(html, '_csrf_token')
      t.notMatch(html, panel.token)
    }
  })

  await t.test('the packages on offer are those that the token may sell', async t => {
    await panel.call('PUT', '/api/v1/packages/ours-alone', { body: {} })
    await php.run('connect', server)
    const names = ['bigger', 'ours-alone', 'starter']
    t.strictSame((await php.run('packages')).value.packages, names)
    for (const vars of [{}, { module_group: '1' }, { module_group: '', module_row: '' }]) {
      t.strictSame((await php.run('packages', { vars })).value.packages, names)
    }
    const none = await php.run('packages', { vars: { module_group: '', module_row: '9' } })
    t.match(none.value, { ok: true, packages: [] })
    await php.run('connect', { ...server, token: sellersToken })
    t.strictSame((await php.run('packages')).value.packages, ['bigger', 'starter'])

    // A server that can't be reached does not change the packages.
    await php.run('connect', { ...server, token: 'pnl_wrong' })
    const vars = { module_group: '', module_row: '1', meta: { package: '7', domain: 'optional' } }
    const outcome = await php.run('packages', { vars })
    isClean(t, outcome, ['pnl_wrong'])
    t.match(outcome.value, { ok: false, message: /^<p[^<>]*>[^<>]+<\/p>$/, packages: [7] })
    t.equal(outcome.value.selected, '7')

    // And its error is not shown on the page.
    await php.run('connect', { ...server, port: faulty.port })
    faulty.always({ instead: refusal(403, 'Not <b>here</b> & now') })
    const refused = await php.run('packages', { vars })
    faulty.always('pass')
    t.match(refused.value, { ok: false, message: /^<p[^<>]*>Not [^<>]* &amp; now<\/p>$/ })
  })
}
