import t from 'tap'
import { isMissing, tours } from '../../screenshots/paths.ts'
import { visit } from '../../support/web/browser.ts'
import { withoutChromium } from '../../support/web/chromium.ts'
import { openStage } from '../../support/web/pages/stage.ts'

// Every part of every page that refreshes itself: it has a sentence for screen readers, comes
// alone, and costs nothing while nothing in it changes.

const live = /<([a-z]+)(?= )[^>]*\bhx-trigger="every [^>]*>/g
// A chart of the last hour moves with the clock.
const moving = ['stats']
const attribute = (tag: string, name: string) => new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1]

t.test('the pages of the stage', { skip: withoutChromium, timeout: 600_000 }, async t => {
  const { panel } = await openStage(t)
  const met = new Set<string>()
  for (const { who, paths, cookies } of tours) {
    await t.test(`each live part of ${who}'s is announced, and answered 304`, async t => {
      const { session, customer, pending } = await cookies(panel)
      const kept = { panel: session, 'panel-account': customer, 'panel-pending': pending }
      const cookie = Object.entries(kept)
        .flatMap(([name, value]) => (value === undefined ? [] : `${name}=${value}`))
        .join('; ')
      for (const [name, path] of Object.entries(paths)) {
        if (isMissing(name)) continue
        const get = (headers: Record<string, string> = {}) =>
          visit(`${panel.baseUrl}${path}`, { headers: { cookie, ...headers } })
        const { text } = await get()
        for (const [tag, element = ''] of text.matchAll(live)) {
          const id = attribute(tag, 'id') ?? ''
          const what = `${name} #${id}`
          met.add(id)
          t.match(attribute(tag, 'data-says'), /\S/, `${what} says its state`)
          const poll = (known: string) =>
            get({ 'hx-request': 'true', 'hx-target': `${element}#${id}`, 'if-none-match': known })
          let known = 'none'
          let answer = await poll(known)
          t.equal(answer.status, 200, what)
          t.notMatch(answer.text, '<nav class="navigation', `${what} comes alone`)
          if (moving.includes(id)) continue
          // The stage may change while it is read.
          for (let attempt = 0; attempt < 5 && answer.status === 200; attempt += 1) {
            known = String(answer.headers.etag)
            answer = await poll(known)
          }
          t.match(answer, { status: 304, text: '' }, `${what} is not sent again`)
        }
      }
    })
  }
  t.ok(met.size >= 8, [...met].join())
})
