import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { pages } from '../../../src/web/pages.ts'
import { isMissing, tours } from '../../screenshots/paths.ts'
import { visit } from '../../support/web/browser.ts'
import { openWindow, withoutChromium } from '../../support/web/chromium.ts'
import { openStage } from '../../support/web/pages/stage.ts'

// Every page without scripts, and as it is sent: nothing on it is dead, its links and forms lead to
// pages, it is light, and no browser keeps it.

const script = await readFile(
  join(import.meta.dirname, '../../support/web/pages/dead-controls.js'),
  'utf8',
)

type Found = { heading: string; dead: string[]; links: string[]; forms: string[] }

const patterns = pages.map(({ path, post }) => ({
  pattern: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`),
  hasForm: post !== undefined,
}))
const takesForm = (path: string) => patterns.find(({ pattern }) => pattern.test(path))?.hasForm
// Open to everybody, and so in no table.
const isOpen = (path: string) => /^\/(sign-in(\/code)?|sso\/.*|docs(\/.*)?)$/.test(path)

t.test('a page', { skip: withoutChromium, timeout: 600_000 }, async t => {
  const { panel, browser } = await openStage(t)
  const weights = new Map<string, number>()

  for (const { who, paths: folders, cookies } of tours) {
    const own = await cookies(panel)
    const { session, customer, pending } = own
    const kept = { panel: session, 'panel-account': customer, 'panel-pending': pending }
    const cookie = Object.entries(kept)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${name}=${value}`)
      .join('; ')
    const get = (path: string) =>
      visit(`${panel.baseUrl}${path}`, { headers: { cookie, 'accept-encoding': 'br' } })
    const links = new Map<string, string>()

    await t.test(`each of ${who}'s does without scripts`, async t => {
      const page = await openWindow(t, browser, panel, { ...own, hasScripts: false })
      for (const [name, path] of Object.entries(folders)) {
        await page.goto(path)
        const found = await page.evaluate<Found>(script)
        t.not(found.heading, '', `${name} has a heading`)
        t.strictSame(found.dead, [], `${name} has nothing that is dead`)
        for (const form of found.forms) {
          const [method, to = ''] = form.split(' ')
          if (method === 'get') links.set(kindOf(to), to)
          else t.ok(isOpen(to) || takesForm(to), `${name} has a form that goes to ${to}`)
        }
        for (const link of found.links) links.set(kindOf(link), link)
      }
      t.strictSame(page.complaints, [])
    })

    await t.test(`each of ${who}'s leads to pages that exist`, async t => {
      for (const link of links.values()) {
        const { status } = await get(link)
        t.ok(status === 200 || status === 303, `${link}: ${status}`)
      }
    })

    await t.test(`each of ${who}'s is light, and kept by no browser`, async t => {
      for (const [name, path] of Object.entries(folders)) {
        const sent = await get(path)
        t.equal(sent.status < 400, !isMissing(name), name)
        t.equal(sent.headers['cache-control'], 'no-store', name)
        const bytes = Number(sent.headers['content-length'])
        t.ok(bytes <= 15 * 1024, `${name}: ${bytes} bytes`)
        // With all that a browser asks for which was never here.
        const { text } = await visit(`${panel.baseUrl}${path}`, { headers: { cookie } })
        const assets = new Set([...text.matchAll(/"(\/assets\/[^"#]+)/g)].map(([, one]) => one!))
        let whole = bytes
        for (const asset of assets) {
          const weight = weights.get(asset) ?? Number((await get(asset)).headers['content-length'])
          weights.set(asset, weight)
          whole += weight
        }
        t.ok(whole <= 60 * 1024, `${name}, as the first one: ${whole} bytes`)
      }
    })
  }
})

/** One link of each kind is followed: what it names, and what its query says, may be any. */
function kindOf(link: string): string {
  const { pathname, searchParams } = new URL(link, 'http://panel')
  const index = patterns.findIndex(({ pattern }) => pattern.test(pathname))
  return `${index === -1 ? pathname : index}?${[...searchParams.keys()].sort()}`
}
