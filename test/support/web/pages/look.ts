import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Test } from 'tap'
import { isMissing, schemes, type Tour } from '../../../screenshots/paths.ts'
import { openWindow, overflow, violations } from '../chromium.ts'
import { openStage } from './stage.ts'

const brokenWords = await readFile(join(import.meta.dirname, 'broken-words.js'), 'utf8')
// On a phone a word may be wider than its place.
const desk = 768

/** Checks every page of these tours by axe-core at the first width, light and dark. */
export async function readState(
  t: Test,
  tours: readonly Tour[],
  [decidable, ...others]: readonly [number, ...number[]],
): Promise<void> {
  const { panel, browser } = await openStage(t)
  for (const { who, paths: folders, cookies } of tours) {
    await t.test(`${who}'s`, { timeout: 600_000 }, async t => {
      const page = await openWindow(t, browser, panel, {
        width: decidable,
        ...(await cookies(panel)),
      })
      for (const [name, path] of Object.entries(folders)) {
        const answer = await page.goto(path)
        t.equal(answer?.ok(), !isMissing(name), `${name}: ${answer?.status()}`)
        t.equal(await page.locator('h1').count(), 1, `${name} has one h1`)
        for (const colorScheme of schemes) {
          await page.emulateMedia({ colorScheme })
          t.strictSame(await violations(page), [], `${name} has no fault in ${colorScheme}`)
        }
        for (const width of [decidable, ...others]) {
          await page.setViewportSize({ width, height: 900 })
          if (width >= desk) {
            const broken = await page.evaluate<string[]>(brokenWords)
            t.strictSame(broken, [], `${name} breaks no word at ${width} px`)
          }
          t.equal(await overflow(page), 0, `${name} has no sideways scroll at ${width} px`)
        }
        await page.setViewportSize({ width: decidable, height: 900 })
      }
      t.strictSame(page.complaints, [], 'the console is empty, and no other server is called')
    })
  }
}
