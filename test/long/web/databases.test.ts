import { existsSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { askMariadb } from '../../support/sandbox-mariadb.ts'
import { alice, openPanel } from '../../support/panel.ts'
import { until } from '../../support/until.ts'
import {
  follow,
  freePort,
  openBrowser,
  openWindow,
  pathOf,
  send,
  withoutChromium,
} from '../../support/web/chromium.ts'
import { openCustomerSession } from '../../support/web/signed-in.ts'
import { workerOn } from '../../support/worker.ts'

// A customer's database in a real browser, with scripts and without: a dump that is brought in, and
// the way to Adminer, which is at a port of its own.

const why = withoutChromium || (!existsSync('/usr/sbin/mariadbd') && 'there is no MariaDB')

for (const hasScripts of [true, false]) {
  const how = hasScripts ? 'with scripts' : 'without scripts'
  t.test(`a dump is brought in, and Adminer is opened, ${how}`, async t => {
    if (why) return t.comment(why)
    const origin = { host: '127.0.0.1', port: await freePort() }
    const panel = await openPanel(t, { origin, hasWorker: false })
    const worker = await workerOn(panel.databaseUrl, panel.root, undefined, options => {
      const checkServices = async () => {
        const { databases: _, adminer: __, ...down } = await options.host.checkServices()
        return down
      }
      return { ...options, host: { ...options.host, checkServices } }
    })
    t.teardown(worker.stop)
    const ask = askMariadb(t, panel.root)
    await panel.call('PUT', '/api/v1/packages/starter', { body: { disk_mb: 8 } })
    await panel.call('POST', '/api/v1/accounts', { body: alice })
    const customer = await openCustomerSession(panel, 'alice')
    const page = await openWindow(t, await openBrowser(t), panel, {
      ...{ width: 360, hasScripts, customer },
    })
    await page.goto('/account/databases/new')
    await page.getByLabel('Name').fill('shop')
    await send(page, 'Add database')
    await page.getByText('This is the password of').waitFor()
    const base = '/account/databases/alice_shop'
    await until(async () => (await page.goto(base))?.status() === 200)

    await follow(page.getByRole('link', { name: 'Import', exact: true }))
    const file = page.getByLabel('File')
    const buffer = Buffer.alloc(9 * 2 ** 20, '-')
    if (hasScripts) {
      await file.setInputFiles({ name: 'large.sql', mimeType: 'text/plain', buffer })
      await page.getByRole('button', { name: 'Import' }).click()
      t.ok(await page.getByText('The file is larger than your disk limit of 8 MB.').isVisible())
    }
    const hostile = 'CREATE TABLE t (a TEXT);\nCREATE DATABASE alice_other;\n'
    await file.setInputFiles({
      ...{ name: 'shop.sql.gz', mimeType: 'application/gzip', buffer: gzipSync(hostile) },
    })
    await page.getByRole('button', { name: 'Import' }).click()
    await page.getByText('The import into alice_shop failed, at least in part').waitFor()
    t.match(await page.getByRole('main').innerText(), /ERROR 1044/)
    t.equal(await pathOf(page), base)
    t.match(await ask('show tables from alice_shop'), [{ Tables_in_alice_shop: 't' }])
    await page.goBack()
    await page.getByRole('heading', { name: 'Import into alice_shop' }).waitFor()
    t.equal(await pathOf(page), `${base}/import`)
    await page.goForward()
    await page.getByRole('heading', { name: 'alice_shop', exact: true }).waitFor()
    t.equal(await pathOf(page), base)

    // No server listens there now.
    await page.route('**/open/*', route => route.fulfill({ body: 'Adminer' }))
    const asked = page.waitForRequest(/^http:\/\/127\.0\.0\.1:8444\/open\/[A-Za-z0-9_-]{43}$/)
    await page.getByRole('button', { name: 'Open in Adminer' }).click()
    t.equal((await asked).headers()['referer'], undefined)
    await page.getByText('Adminer', { exact: true }).waitFor()
    await page.goto(base)
    await send(page, 'Close')
    await page.getByText('alice_shop was closed in Adminer.').waitFor()
    // The stand-in of Adminer is no page of ours.
    const isOfOther = /^a request to http:\/\/127\.0\.0\.1:8444\/|ViewTransition opt-in/
    const complaints = page.complaints.filter(one => !isOfOther.test(one))
    t.strictSame(complaints, [])
  })
}
