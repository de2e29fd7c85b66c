import { overviewFile, withEndpoints, withIndex } from '../../src/api/describe-index.ts'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { files as packagePages, withLimits } from '../../src/api/package-pages.ts'
import { readPages, toIndex, toWhole } from '../../src/api/reference.ts'
import { reservedUsernames } from '../../src/model/grammar/reserved-names.ts'
import { tables } from '../../src/cli/describe-tables.ts'
import { file, toPage } from '../../src/cli/describe.ts'

const pages = await readPages()
const whole = toWhole(pages)

// Anchors of headings, as Markdown renderers make them.
const anchors = [...whole.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
  heading!
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-'),
)

t.test('the page of commands is up to date', async t => {
  const committed = readFileSync(join(import.meta.dirname, '../..', file), 'utf8')
  t.equal(committed, await toPage(), 'run `npm run describe`')
})

t.test('the pages of packages have every limit', t => {
  for (const page of packagePages) {
    const committed = readFileSync(join(import.meta.dirname, '../..', page), 'utf8')
    t.equal(committed, withLimits(committed), `${page}: run \`npm run describe\``)
  }
  t.end()
})

t.test('the index names every page with its summary, and where it is', async t => {
  const index = toIndex(pages, 'https://panel.test')
  for (const { slug, title, summary, text } of pages) {
    t.ok(index.includes(`- [${title}](https://panel.test/reference/${slug}.md): ${summary}\n`))
    t.ok(anchors.includes(slug), `${slug} is a heading of its page`)
    t.ok(whole.includes(text.split('\n').slice(0, 3).join('\n')))
  }
  t.equal(index.match(/^- /gm)?.length, pages.length + 2)
})

t.test('everything in the specification has its page, and the overview leads to it', async t => {
  const slugs = pages.map(({ slug }) => slug)
  for (const slug of ['events-and-webhooks', 'hook-scripts', 'command-line', 'billing-modules']) {
    t.ok(slugs.includes(slug), slug)
  }
  const overview = pages[0]!.text
  t.strictSame(
    slugs.filter(slug => slug !== 'overview' && !overview.includes(`](${slug}.md)`)),
    [],
  )
})

t.test('the overview has every endpoint', t => {
  const overview = readFileSync(join(import.meta.dirname, '../..', overviewFile), 'utf8')
  t.equal(overview, withEndpoints(overview), 'npm run describe')
  t.end()
})

t.test('the tables of events, checks and remedies are those of the code', t => {
  for (const [page, write] of Object.entries(tables)) {
    const committed = readFileSync(join(import.meta.dirname, '../..', page), 'utf8')
    t.equal(committed, write(committed), `${page}: run \`npm run describe\``)
  }
  t.end()
})

t.test('the index of the folder has every page', t => {
  const index = readFileSync(join(import.meta.dirname, '../../docs/reference/README.md'), 'utf8')
  t.equal(index, withIndex(index, pages), 'npm run describe')
  t.end()
})

t.test('the page of accounts names the usernames that are reserved', t => {
  const { text } = pages.find(({ slug }) => slug === 'accounts')!
  const [, listed = ''] = /## Reserved usernames\n[^]*?```text\n([^`]*)```/.exec(text) ?? []
  t.strictSame(listed.trim().split(/\s+/), [...reservedUsernames].sort())
  t.end()
})

t.test('every link of the whole leads to a place in it', async t => {
  const links = [...whole.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!)
  t.not(links.length, 0)
  const dead = links.filter(link => !/^https?:/.test(link) && !anchors.includes(link.slice(1)))
  t.strictSame(dead, [])
})
