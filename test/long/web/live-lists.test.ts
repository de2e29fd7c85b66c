import t from 'tap'
import type { Page } from 'playwright-core'
import { tours } from '../../screenshots/paths.ts'
import { id } from '../../screenshots/stage-hooks.ts'
import { openWindow, withoutChromium } from '../../support/web/chromium.ts'
import { openStage } from '../../support/web/pages/stage.ts'

// Lists that refresh themselves during a selection.

// A row without an id may become another row, with what was ticked and what had the focus.
const withoutId = `[...document.querySelectorAll('[hx-trigger^=every] :is(tr, li)')]
  .filter(row => row.matches('tbody tr, .sites li, .concerns li') && !row.id)
  .filter(row => row.querySelector('a, button, input, summary'))
  .map(row => row.textContent.trim())`
const idsTwice = `[...document.querySelectorAll('[id]')].map(({ id }) => id)
  .filter((id, index, all) => all.indexOf(id) !== index)`

t.test('a browser', { skip: withoutChromium, timeout: 600_000 }, async t => {
  const { panel, session, browser } = await openStage(t)
  const { pool } = panel

  const focused = (page: Page) =>
    page.evaluate<string>('document.activeElement.getAttribute("href") ?? ""')

  await t.test('keeps what is ticked and the focus where new deliveries come', async t => {
    const page = await openWindow(t, browser, panel, { session })
    await page.goto('/hooks')
    const boxes = page.locator('#deliveries input[type=checkbox]')
    const value = (await boxes.nth(1).getAttribute('value'))!
    await boxes.nth(1).check()
    const link = page.locator(`a[href$="delivery=${value}"]`)
    await link.focus()
    // One, and as many as a script that suspends accounts makes within two seconds.
    for (const many of [1, 8]) {
      const { rows } = await pool.query<{ id: string }>(
        `insert into panel.deliveries (webhook_id, event_id, state, attempts, queue_job_id,
           created_at, finished_at)
         select $1, (select max(id) from panel.events), 'failed', 1, 1, now(), now()
         from generate_series(1, $2)
         returning id`,
        [id('b001'), many],
      )
      await page.locator(`#deliveries input[value="${rows[0]!.id}"]`).waitFor()
      const ticked = await page.locator('#deliveries input:checked').all()
      t.strictSame(await Promise.all(ticked.map(box => box.inputValue())), [value])
      t.match(await focused(page), new RegExp(`delivery=${value}$`))
    }
    t.strictSame(page.complaints, [])
  })

  await t.test('keeps the focus where new jobs come', async t => {
    const page = await openWindow(t, browser, panel, { session })
    await page.goto('/jobs')
    const link = page.locator('#jobs td:first-child a').nth(1)
    const path = (await link.getAttribute('href'))!
    await link.focus()
    const { rows } = await pool.query<{ id: string }>(
      `insert into panel.operations (name, state, status, body, username, finished_at)
       select 'account/suspend', 'done', 200, '{}', 'velo', now() from generate_series(1, 8)
       returning id`,
    )
    await page.locator(`#jobs a[href="/jobs/${rows[0]!.id}"]`).waitFor()
    t.equal(await focused(page), path)
    t.strictSame(page.complaints, [])
  })

  await t.test('leaves open what was opened, and the focus in it', async t => {
    const page = await openWindow(t, browser, panel, { session })
    await page.goto('/hooks/scripts')
    const summary = page.locator('#runs summary').first()
    await summary.click()
    const copy = page.locator('#runs details button').first()
    await copy.focus()
    for (const _ of [1, 2]) await page.waitForResponse('**/hooks/scripts')
    const opened = page.locator('#runs details[open]')
    await pool.query('delete from panel.script_runs where outcome = $1', ['refused'])
    await page.getByText('30-dns').waitFor({ state: 'detached' })
    t.equal(await opened.count(), 1)
    t.ok(await copy.isVisible())
    t.equal(await page.evaluate('document.activeElement.localName'), 'button')
    await summary.click()
    await page.waitForResponse('**/hooks/scripts')
    await page.waitForResponse('**/hooks/scripts')
    t.equal(await opened.count(), 0, 'and closed what was closed')
    t.strictSame(page.complaints, [])
  })

  await t.test('fetches what is unchanged as a 304, and says once what has changed', async t => {
    const page = await openWindow(t, browser, panel, { session })
    await page.goto('/jobs?task=account/unsuspend')
    const poll = () => page.waitForResponse(answer => 'hx-target' in answer.request().headers())
    await poll()
    t.equal((await poll()).status(), 304)
    const announced: string[] = []
    await page.exposeFunction('note', (words: string) => announced.push(words))
    await page.evaluate(`new MutationObserver(() =>
      note(document.querySelector('[data-announcer]').textContent))
      .observe(document.querySelector('[data-announcer]'), { childList: true })`)
    await pool.query(
      `insert into panel.operations (name, state, username, finished_at, error)
       values ('account/unsuspend', 'failed', 'velo', now(), 'nginx is down')`,
    )
    await page.getByText('nginx is down').waitFor()
    for (const _ of [1, 2]) t.equal((await poll()).status(), 304)
    t.equal(announced.length, 1)
    t.match(announced[0], /^1 of the \d+ jobs in this list failed$/)
    t.strictSame(page.complaints, [])
  })

  for (const { who, paths: folders, cookies } of tours) {
    await t.test(`knows the rows of ${who}'s live lists again`, async t => {
      const page = await openWindow(t, browser, panel, await cookies(panel))
      for (const [name, path] of Object.entries(folders)) {
        await page.goto(path)
        t.strictSame(await page.evaluate(withoutId), [], name)
        t.strictSame(await page.evaluate(idsTwice), [], name)
      }
    })
  }
})
