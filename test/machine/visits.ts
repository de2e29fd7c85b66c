import { mkdtempSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Test } from 'tap'
import { callPanel } from '../support/cli/run-panel.ts'
import { alice } from '../support/panel.ts'
import { run, sftp, type LinuxPanel } from './machine.ts'
import { signAtOnce } from './signing.ts'
import { openVisitor, type Probe, type Seen, type Truth } from './visitor.ts'

// Answers hold for the next visitor: accounts live their lives, several at a time, while visitors
// come every 2 ms. A visitor after an answer sees the state that it reports, and no visitor ever
// sees anything but the state before or after.

/** The number of accounts, in all and at a time, and the time of visits after each answer. */
const plan = {
  lives: Number(process.env['PANEL_TEST_LIVES'] || 6),
  atOnce: Number(process.env['PANEL_TEST_AT_ONCE'] || 3),
  afterMs: Number(process.env['PANEL_TEST_AFTER_MS'] || 200),
}

const missing = /^421 /
const suspended = /^503 .*/
const unproven = /^failed: alert/
const pages = [
  { path: '/probe.txt', shown: /^200 .*a file/s },
  { path: '/probe.php', shown: /^200 .*made by PHP/s },
]

type World = {
  panel: LinuxPanel
  visitor: ReturnType<typeof openVisitor>
  figures: Map<string, Figures>
  certify: (username: string) => Promise<unknown>
}

type Figures = { times: number; asked: number; tookMs: number; wrong: string[] }

/** Shows it on a panel whose worker is running. */
export async function showVisits(t: Test, panel: LinuxPanel): Promise<void> {
  await fillNewSites()
  const { certify, ca } = await signAtOnce(t, panel)
  const visitor = openVisitor(t, { afterMs: plan.afterMs, ca })
  const figures = new Map<string, Figures>()
  const world = { panel, visitor, figures, certify }
  await create(world, 'neighbour', async () => undefined)
  await certify('neighbour')
  const undisturbed = truthsOf('neighbour.example', { hasTls: true }).map(truth => ({
    ...truth,
    before: truth.after,
  }))
  await act(world, 'nothing', undisturbed, async () => {
    const waiting = Array.from({ length: plan.lives }, (_, index) => `v${index}`)
    const next = async () => {
      for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
        await live(t, world, name)
      }
    }
    await Promise.all(Array.from({ length: plan.atOnce }, next))
  })
  for (const [name, { times, asked, tookMs, wrong }] of figures) {
    const took = `${Math.round(tookMs / times)} ms each`
    t.comment(`${name}: ${times} times, ${took}, ${asked} visits, ${wrong.length} wrong`)
    t.ok(asked > times, `${name}: visited ${asked} times`)
    t.strictSame(wrong.slice(0, 10), [], `${name}: ${wrong.length} wrong visits`)
  }
}

/** One account, from its create to its end. */
async function live(t: Test, world: World, username: string): Promise<void> {
  const { panel } = world
  const [domain, shop] = [`${username}.example`, `shop-${username}.example`]
  const write =
    (method: string, path = '', body?: object) =>
    async () => {
      const { status, text } = await panel.call(method, `/api/v1/accounts/${username}${path}`, {
        ...(body === undefined ? {} : { body }),
      })
      if (status !== 200) throw new Error(`${method} ${path}: ${text}`)
    }
  const site = (verb: string) => async () => {
    const environment = { DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: dirname(panel.root) }
    const words = ['site', verb, username, shop, '--yes', '--wait', '300']
    const { code, stderr } = await callPanel(words, environment)
    if (code !== 0) throw new Error(stderr)
  }
  const shown = [...truthsOf(domain, { hasTls: true }), ...truthsOf(shop)]
  const gone = truthsOf(shop).map(swap)

  await create(world, username, async () => t.equal(await logIn(username), 0, 'a login'))
  const proven = truthsOf(domain, { hasTls: true }).filter(({ isTls }) => isTls)
  await act(
    world,
    'certificate',
    [...proven.map(truth => ({ ...truth, before: unproven })), ...always(domain)],
    () => world.certify(username),
  )
  const kept = proven.map(truth => ({ ...truth, before: truth.after }))
  await act(world, 'renewal', kept, () => world.certify(username))
  await act(world, 'site add', [...truthsOf(shop), ...always(domain)], site('add'))
  const uid = await uidOf(panel, username)
  const held = shown.map(truth => ({ ...truth, before: truth.after, after: suspended }))
  await act(world, 'suspend', held, write('POST', '/suspend', { reason: 'unpaid' }), async () => {
    t.strictSame(await runningAs(uid), [], 'nothing runs')
    t.not(await logIn(username), 0, 'no login')
    t.strictSame(await runningAs(uid), [], 'nothing has begun')
  })
  const again = shown.map(truth => ({ ...truth, before: suspended }))
  await act(world, 'unsuspend', again, write('POST', '/unsuspend'), async () =>
    t.equal(await logIn(username), 0, 'a login'),
  )
  await act(world, 'site remove', [...gone, ...always(domain)], site('rm'))
  const end = truthsOf(domain, { hasTls: true }).map(swap)
  await act(world, 'terminate', end, write('DELETE'), async () =>
    t.not(await logIn(username), 0, 'no login'),
  )
}

/** Changes something while its pages are visited; `next` is done at once after the answer. */
async function act<T>(
  { visitor, figures }: World,
  name: string,
  truths: Truth[],
  change: () => Promise<T>,
  next: () => Promise<unknown> = async () => undefined,
): Promise<Seen<T>> {
  let done: Promise<unknown> | undefined
  const seen = await visitor.during(truths, async () => {
    const answer = await change()
    done = next()
    return answer
  })
  await done
  const sum = figures.get(name) ?? { times: 0, asked: 0, tookMs: 0, wrong: [] }
  sum.times++
  sum.asked += seen.asked
  sum.tookMs += seen.tookMs
  sum.wrong.push(...seen.wrong)
  figures.set(name, sum)
  return seen
}

async function create(world: World, username: string, next: () => Promise<unknown>) {
  const domain = `${username}.example`
  const change = async () => {
    const body = { ...alice, username, domain }
    const { status, text } = await world.panel.call('POST', '/api/v1/accounts', { body })
    if (status !== 201) throw new Error(text)
  }
  await act(world, 'create', truthsOf(domain), change, next)
}

/** A website that comes: its file and its PHP, by both of its names, and by https. */
export function truthsOf(domain: string, { hasTls = false } = {}): Truth[] {
  const names = [domain, `www.${domain}`]
  const probes: Probe[] = names.flatMap(host => pages.map(({ path }) => ({ host, path })))
  const byTls = hasTls ? pages.map(({ path }) => ({ host: domain, path, isTls: true })) : []
  return [...probes, ...byTls].map(probe => {
    const { shown } = pages.find(({ path }) => path === probe.path)!
    return { ...probe, before: missing, after: shown }
  })
}

const always = (domain: string): Truth[] =>
  truthsOf(domain).map(truth => ({ ...truth, before: truth.after }))

// The same website, going. Its certificate goes a moment after its name.
export const swap = (truth: Truth): Truth => ({
  ...truth,
  before: truth.after,
  after: truth.isTls ? /^421 |^failed: alert/ : missing,
})

const logIn = async (username: string): Promise<number | null> =>
  (await sftp(username, alice.password, 'pwd\n')).code

// Without the worker's own count of what the home takes.
const runningAs = async (uid: number): Promise<string[]> =>
  (await run('pgrep', ['-a', '-U', `${uid}`])).stdout
    .split('\n')
    .filter(line => line !== '' && !line.includes(' du -s '))

async function uidOf({ pool }: LinuxPanel, username: string): Promise<number> {
  const { rows } = await pool.query(
    'select uid from panel.accounts where username = $1 order by id desc limit 1',
    [username],
  )
  return rows[0].uid
}

/** Has new websites begin with the pages that are visited. */
export async function fillNewSites(): Promise<void> {
  const folder = mkdtempSync('/tmp/site-')
  const [skeleton, path] = ['/var/lib/panel/site.tar', join(folder, 'public')]
  const tar = (...args: string[]) => run('tar', ['--acls', '-C', folder, ...args])
  await tar('-p', '-xf', skeleton)
  writeFileSync(join(path, 'probe.txt'), 'a file\n', { mode: 0o640 })
  writeFileSync(join(path, 'probe.php'), '<?php echo "made by PHP";\n', { mode: 0o640 })
  const { code, stderr } = await tar('-cf', skeleton, '.')
  if (code !== 0) throw new Error(stderr)
}
