import type { Pool } from 'pg'
import t from 'tap'
import { id } from '../../screenshots/stage-hooks.ts'
import { tours, type Tour } from '../../screenshots/paths.ts'
import { openWindow, overflow, withoutChromium } from '../../support/web/chromium.ts'
import { openCustomerSession } from '../../support/web/signed-in.ts'
import { openStage } from '../../support/web/pages/stage.ts'

// Names, answers and texts of others: wherever a page shows them, it shows them as text.

const markup = '<script>alert(1)</script>'
const ruse = `<i id=planted></i><img src=/planted onerror=alert(2)>"' onfocus=alert(3) javascript:&`
// An escape sequence of terminals, a mark of writing from right to left, and what is no character.
const marks = '\u001b[31m\u202e\u0001\ufffe'
/** Words of a field that say which it is; a line of 10 kB where it takes as much. */
const hostile = (field: string): string => `${field} ${markup}${ruse}${marks}${'x'.repeat(10_000)}`

/**
 * Columns with words of others, with the rows that they are shown for, and their maximum length.
 */
const columns: [table: string, column: string, most?: number, where?: string][] = [
  ['accounts', 'email', 254, `username <> 'alice'`],
  ['accounts', 'suspend_reason', 500, `state = 'suspended'`],
  ['accounts', 'warnings'],
  ['backups', 'path'],
  ['certificates', 'error'],
  ['certificates', 'issuer'],
  ['history', 'about'],
  ['history', 'who'],
  ['operations', 'caller_words', 500],
  ['operations', 'error'],
  ['operations', 'request'],
  ['operators', 'email', 254, `name = 'rita'`],
  ['packages', 'name', 300, `name = 'agency'`],
  ['script_runs', 'name', 20_000, `outcome = 'failed'`],
  ['script_runs', 'path', 20_000, `outcome = 'failed'`],
  ['script_runs', 'reason', 20_000, `outcome = 'failed'`],
  ['script_runs', 'stderr', 20_000, `outcome = 'failed'`],
  ['script_runs', 'stdout', 20_000, `outcome = 'failed'`],
  ['sessions', 'browser', 300],
  ['sftp_keys', 'comment'],
  ['sites', 'domain', 250, `domain = 'shop.alice.example'`],
  ['tokens', 'name'],
  ['attempts', 'answer'],
  ['attempts', 'error'],
]

t.test('a page keeps its markup whatever values it shows', { skip: withoutChromium }, async t => {
  const { panel, browser } = await openStage(t)
  const suspended = await openCustomerSession(panel, 'greta')
  await panel.call('POST', '/api/v1/accounts/greta/suspend', { body: {} })
  const cookies = await Promise.all(tours.map(tour => tour.cookies(panel)))
  await plant(panel.pool)
  const shown = new Set<string>()

  for (const [index, { who, paths: folders }] of [...tours, ofSuspended].entries()) {
    await t.test(`as ${who} sees it`, { timeout: 600_000 }, async t => {
      const page = await openWindow(t, browser, panel, cookies[index] ?? { customer: suspended })
      for (const path of [...Object.values(folders), ...(more[who] ?? [])]) {
        await page.goto(path)
        const { text, faults } = await page.evaluate<Seen>(look)
        t.strictSame(faults, [], path)
        for (const field of fields) if (text.includes(`${field} ${markup}`)) shown.add(field)
        for (const width of [360, 1_440]) {
          await page.setViewportSize({ width, height: 900 })
          t.equal(await overflow(page), 0, `${path} at ${width}`)
        }
      }
      t.strictSame(page.complaints, [])
    })
  }
  const unseen = fields.filter(field => !shown.has(field))
  t.strictSame(unseen, [], 'all of it was to be seen')
})

const more: Record<string, string[]> = {
  admin: [
    `/accounts?q=${encodeURIComponent(hostile('q').slice(0, 200))}`,
    `/packages/${encodeURIComponent(hostile('packages.name').slice(0, 300))}`,
    '/accounts/atelier',
  ],
}
const ofSuspended: Pick<Tour, 'who' | 'paths'> = {
  who: 'greta, who is suspended',
  paths: { overview: '/account' },
}

const inSnapshot = ['script', 'check', 'advice', 'disk'].map(one => `snapshot.${one}`)
const inSteps = ['step', 'fault'].map(one => `steps.${one}`)
const services = ['databases', 'sftp', 'websites']
const inServer = services.map(part => `server.${part}`)
const others = [...inSnapshot, ...inSteps, ...inServer, 'events.body', 'webhooks.url']
const fields = [...columns.map(([table, column]) => `${table}.${column}`), ...others]

// The value of a column of this type for these words.
const shapes: Record<string, (words: string) => unknown> = {
  bytea: words => Buffer.from(`${words}\0`),
  _text: words => [words],
  jsonb: words => JSON.stringify([{ code: 'any', sentence: words }]),
}

async function plant(pool: Pool): Promise<void> {
  await pool.query(`insert into panel.backups (id, path, bytes, started_at, duration_ms, release)
    values (gen_random_uuid(), '', 1, now(), 1, '0.1.0')`)
  await pool.query(`update panel.server_snapshot set content = content || $1`, [
    {
      checks: [
        { name: 'x/x', state: 'failure', sentence: hostile('snapshot.check') },
        { name: 'x/y', state: 'warning', sentence: 'x', advice: hostile('snapshot.advice') },
      ],
      disks: [{ path: hostile('snapshot.disk').slice(0, 500), totalMb: 10, availableMb: 1 }],
      hooks: {
        folder: '/etc/panel/hooks',
        scripts: [
          {
            ...{ event: 'account.created', mode: '0755', uid: 0, refusal: null },
            ...{ name: hostile('snapshot.script'), path: hostile('snapshot.script') },
          },
        ],
      },
    },
  ])
  for (const [table, column, max = 20_000, where = 'true'] of columns) {
    const words = hostile(`${table}.${column}`).slice(0, max)
    await allowAnything(pool, table)
    const { rows } = await pool.query<{ udt_name: string }>(
      `select udt_name from information_schema.columns
       where table_schema = 'panel' and table_name = $1 and column_name = $2`,
      [table, column],
    )
    const kind = rows[0]!.udt_name
    const value = shapes[kind]?.(words) ?? words
    const { rowCount } = await pool.query(
      `update panel.${table} set ${column} = $1 where ${where}`,
      [value],
    )
    if (rowCount === 0) throw new Error(`There is no ${table}.${column}`)
  }
  await pool.query('update panel.server set service_warnings = $1', [
    Object.fromEntries(services.map(part => [part, hostile(`server.${part}`)])),
  ])
  const step = { step: hostile('steps.step'), at_ms: 1, ms: 1, failed: true }
  await pool.query('update panel.operations set steps = $1 where id = $2', [
    JSON.stringify([{ ...step, error: hostile('steps.fault') }]),
    id('1'),
  ])
  await pool.query(`update panel.events set body = $1`, [
    Buffer.from(JSON.stringify({ data: { email: hostile('events.body') } })),
  ])
  await allowAnything(pool, 'webhooks')
  await pool.query(`update panel.webhooks set url = $1`, [
    `https://hooks.example/${hostile('webhooks.url')}`,
  ])
  await keepAsIs(pool, ['server', 'server_snapshot'])
}

/** The worker writes them again now and then, as it finds the machine. */
async function keepAsIs(pool: Pool, tables: readonly string[]): Promise<void> {
  await pool.query(`create function panel.keep_as_is() returns trigger language plpgsql
    as $$ begin return null; end; $$`)
  for (const table of tables) {
    await pool.query(`create trigger keep_as_is before insert or update or delete
      on panel.${table} for each row execute function panel.keep_as_is()`)
  }
}

/** Takes a table's checks away: an earlier release, or a restored backup, may have been laxer. */
async function allowAnything(pool: Pool, table: string): Promise<void> {
  const { rows } = await pool.query<{ conname: string }>(
    `select conname from pg_constraint where conrelid = $1::regclass and contype = 'c'`,
    [`panel.${table}`],
  )
  for (const { conname } of rows) {
    await pool.query(`alter table panel.${table} drop constraint "${conname}"`)
  }
}

type Seen = { text: string; faults: string[] }

// In the page: all that it says, and what is on it that no page of ours has.
const look = `(() => {
  const faults = []
  for (const element of document.querySelectorAll('*')) {
    const isForeign = element.matches('#planted, img, script:not([src^="/assets/"]), iframe, base')
    const acts = [...element.attributes].some(({ name }) => name.startsWith('on'))
    const leads = /^\\s*javascript:/i.test(element.getAttribute('href') ?? '')
    if (isForeign || acts || leads) faults.push(element.outerHTML.slice(0, 200))
  }
  const typed = [...document.querySelectorAll('input, textarea')].map(({ value }) => value)
  return { text: [document.body.textContent, ...typed].join(' '), faults }
})()`
