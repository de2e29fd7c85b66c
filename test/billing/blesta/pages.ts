import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Test } from 'tap'
import { inherited } from '../../support/processes.ts'
import { usual } from '../php.ts'
import { isClean, newOrder } from '../scenarios.ts'
import { made, type Bench } from './bench.ts'

// The pages of a service, and their buttons.

export async function pages(t: Test, bench: Bench): Promise<void> {
  const { panel, php, faulty, server } = bench

  await t.test('a link is made when the button is pressed, and not before', async t => {
    await php.run('connect', { ...server, port: faulty.port })
    const order = await made(t, bench)
    const { service } = order
    const from = faulty.heard.length
    for (const tab of ['tabLogin', 'tabClientLogin']) {
      for (const post of [{}, null, { other: 'form' }]) {
        const { value, warnings } = await php.run('show', { service, tab, post })
        t.strictSame(warnings, [])
        t.match(value.html, /<form method="post" action="[^"]+\/(tab\w+)\/"/)
        t.match(value.html, '_csrf_token')
      }
    }
    for (const info of ['getAdminServiceInfo', 'getClientServiceInfo']) {
      await php.run('show', { service, info })
    }
    t.equal(faulty.heard.length, from)
    for (const tab of ['tabLogin', 'tabClientLogin']) {
      const clicked = await php.run('press', { service, tab })
      t.match(clicked.value.url, /^https:\/\/panel\.test:8443\/sso\//)
      isClean(t, clicked, [clicked.value.url, panel.token])
    }
    t.equal(faulty.heard.length, from + 4)

    await php.run('suspend', { service })
    const { value } = await php.run('show', { service, tab: 'tabClientLogin' })
    t.notMatch(value.html, '<form')
    const post = { panel_sign_on: 'true' }
    const refused = await php.run('show', { service, tab: 'tabLogin', post })
    t.match(refused.value, { ok: false, message: /suspended|active/ })
    const client = await php.run('show', { service, tab: 'tabClientLogin', post })
    t.match(client.value, { ok: false, message: 'This service is not active.' })
  })

  await t.test('a service without an account shows and opens no other account', async t => {
    await php.run('connect', { ...server, port: faulty.port })
    const [gone, theirs] = [await made(t, bench), await made(t, bench)]
    await php.run('terminate', { service: gone.service })
    const waiting = newOrder()
    t.match((await php.run('order', waiting)).value, { ok: true })
    const post = { panel_sign_on: 'true' }
    for (const { service } of [gone, waiting]) {
      const meta = [{ key: 'panel_username', value: theirs.username, encrypted: 0 }]
      await php.run('setFields', { service, meta })
      const from = faulty.heard.length
      for (const tab of ['tabLogin', 'tabClientLogin']) {
        const { value } = await php.run('show', { service, tab, post })
        t.match(value, { ok: false, message: 'This service is not active.' })
      }
      for (const tab of ['tabStats', 'tabClientStats']) {
        const { value } = await php.run('show', { service, tab })
        t.match(value, { ok: true, html: 'Not known at the moment.' })
      }
      t.equal(faulty.heard.length, from, 'the panel hears of none')
    }
  })

  await t.test('usage is shown for the one account, and where it is unknown that', async t => {
    await php.run('connect', { ...server, port: faulty.port })
    const { service, username } = await made(t, bench)
    await panel.pool.query(
      `insert into panel.disk_usage (account_id, bytes, measured_at)
       select id, 1500 * 1048576 + 1, '2026-11-21T10:05:00Z'
       from panel.accounts where username = $1
       on conflict (account_id) do update set bytes = excluded.bytes`,
      [username],
    )
    for (const tab of ['tabStats', 'tabClientStats']) {
      const from = faulty.heard.length
      const { value, warnings } = await php.run('show', { service, tab })
      t.strictSame(warnings, [])
      t.match(value, { ok: true, html: '1,501 of 1,024 MB' })
      t.strictSame(
        faulty.heard.slice(from).map(({ path }) => path),
        [`/api/v1/accounts/${username}`, `/api/v1/accounts/${username}/usage`],
      )
    }
    await php.run('connect', { ...server, token: 'pnl_wrong' })
    const staff = await php.run('show', { service, tab: 'tabStats' })
    t.match(staff.value, { ok: false, html: 'Not known at the moment.' })
    const client = await php.run('show', { service, tab: 'tabClientStats' })
    t.match(client.value, { ok: false, message: /cannot be reached now/ })
    isClean(t, client, ['pnl_wrong'])
  })

  await t.test('a page shows what is stored, escaped, and no password', async t => {
    await php.run('connect', server)
    const order = await made(t, bench)
    const { service } = order
    const evil = `"><script>alert(1)</script>`
    const meta = ['panel_domain', 'panel_username', 'panel_password'].map(key => ({
      key,
      value: key === 'panel_password' ? 'secret as stored' : evil,
      encrypted: 0,
    }))
    await php.run('setFields', { service, meta })
    const pages = [
      ...['getAdminServiceInfo', 'getClientServiceInfo'].map(info => ({ service, info })),
      ...['tabLogin', 'tabClientLogin', 'tabStats', 'tabClientStats', 'tabClientActions'].map(
        tab => ({ service, tab }),
      ),
    ]
    for (const page of pages) {
      const { value, warnings } = await php.run('show', page)
      t.strictSame(warnings, [])
      t.notMatch(value.html, '<script')
      t.notMatch(value.html, 'secret as stored')
      if ('info' in page) t.match(value.html, '&lt;script&gt;')
    }
    const row = { id: evil, meta: { server_name: evil, host_name: evil, port: evil } }
    const group = { id: evil, name: evil, rows: [row] }
    const given = { id: evil, name: evil, rows: [row], groups: [group] }
    const { value: html, warnings } = await php.run('page', { method: 'manageModule', given })
    t.strictSame(warnings, [])
    t.notMatch(html, '<script>alert')
    t.match(html, '&lt;script&gt;')
    t.equal(html.match(/<form/g).length, html.match(/_csrf_token/g).length)
  })

  await t.test('a click leads the browser away, and leaves no trace', async t => {
    await php.run('connect', server)
    const address = await serve(t, bench, await made(t, bench))
    const page = await fetch(address)
    t.equal(page.status, 200)
    t.match(await page.text(), 'name="panel_sign_on" value="true"')
    const body = new URLSearchParams({ panel_sign_on: 'true' })
    const click = await fetch(address, { method: 'POST', body, redirect: 'manual' })
    t.equal(click.status, 303)
    t.match(click.headers.get('location'), /^https:\/\/panel\.test:8443\/sso\//)
    t.equal(click.headers.get('cache-control'), 'no-store')
    t.equal(click.headers.get('referrer-policy'), 'no-referrer')
    t.equal(await click.text(), '')
  })
}

/** A web server's PHP with the page of one account. */
async function serve(
  t: Test,
  { root, server }: Bench,
  { service, username, email }: { service: string; username: string; email: string },
): Promise<string> {
  const file = join(import.meta.dirname, 'clicked.php')
  const child = spawn('php', [...usual, '-S', '127.0.0.1:0', file], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      PATH: inherited.PATH,
      ROOT: root,
      PORT: server.port,
      TOKEN: server.token,
      USERNAME: username,
      EMAIL: email,
      SERVICE: service,
    },
  })
  t.teardown(async () => {
    const exited = once(child, 'exit')
    child.kill()
    await exited
  })
  for await (const line of createInterface(child.stderr)) {
    const address = /\((http:\/\/[\d.:]+)\) started/.exec(line)?.[1]
    if (address !== undefined) return address
  }
  throw new Error('PHP ended')
}
