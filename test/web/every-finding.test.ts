import t from 'tap'
import { defaultRemedies } from '../../src/cli/doctor/default-remedies.ts'
import { checkNames } from '../../src/cli/doctor/doctor.ts'
import { examine } from '../../src/cli/doctor/examine.ts'
import { failure, type DoctorContext } from '../../src/cli/doctor/check.ts'
import { openPanel } from '../support/panel.ts'
import { signIn } from '../support/web/signed-in.ts'

// The page of the server says of each finding what mends it: a button, a page, or the command for
// root.

const panel = await openPanel(t)
const { pool } = panel
const admin = await signIn(panel)

const keep = (checks: object[], age = '0 s') =>
  pool.query(
    `update panel.server_snapshot
     set taken_at = now() - $2::interval, took_ms = 1, asked_at = null, content = $1`,
    [
      {
        ...{ checks, addresses: [], load: [0, 0, 0], cores: 1, disks: [], sshPorts: [22] },
        ...{ hostKeys: [], trash: [], reloads: {}, memory: { totalMb: 2, availableMb: 1 } },
        ...{ hooks: { folder: '/etc', scripts: [] }, php: { byDefault: null, versions: [] } },
      },
      age,
    ],
  )

const linesOf = (text: string) => text.split(/<li id="concern-/).slice(1)

t.test('every check of doctor has a remedy', async t => {
  t.strictSame(Object.keys(defaultRemedies).toSorted(), checkNames.toSorted())
  for (const name of checkNames) t.not(defaultRemedies[name]?.length ?? 0, 0, name)
  const context = { isRoot: true } as unknown as DoctorContext
  const found = await examine(
    context,
    checkNames.map(name => ({ name, run: () => failure('It is down', 'Start it') })),
  )
  for (const { name, remedies } of found) t.strictSame(remedies, defaultRemedies[name], name)
})

t.test('every finding shows its remedy, and each link leads to a page', async t => {
  const ofRows = ['certificates/expiry', 'disk/accounts', 'drift/not-applied', 'webhooks/failing']
  const shown = checkNames.filter(name => !ofRows.includes(name))
  // Kept files are offered for deletion only where there are any.
  await keep(
    shown.map(name => ({
      ...{ name, state: 'failure', sentence: `${name} fails`, advice: null },
      remedies: defaultRemedies[name]!.filter(one => one.do !== 'empty-trash'),
    })),
  )
  const { text } = await admin.get('/server')
  const lines = linesOf(text)
  t.equal(lines.length, shown.length)
  const addresses = new Set<string>()
  for (const line of lines) {
    const [, name = ''] = /<strong>(\S+) fails/.exec(line) ?? []
    const [, remedies = ''] = /<div class="remedies">([^]*?)<\/div>/.exec(line) ?? []
    const links = [...remedies.matchAll(/(?:href|action)="([^"]+)"/g)].map(([, to = '']) => to)
    for (const to of links) addresses.add(to)
    const isCommand = /As root on the server:[^]*data-copy="\S+/.test(line)
    t.ok(links.length > 0 || isCommand, `${name} has an action`)
    t.notOk(links.includes('/server/recheck'), `${name} has more than another check`)
  }
  t.ok(addresses.size > 10)
  for (const to of addresses) {
    const { status } = await admin.get(to.replaceAll('&amp;', '&').replace(/#.*/, ''))
    t.equal(status, 200, to)
  }
})

t.test('findings of an old check stay, with their time', async t => {
  const [old, other] = ['queue/paused', 'backups/age']
  await keep(
    [old, other].map(name => ({
      ...{ name, state: 'warning', sentence: `${name} fails`, advice: null },
      remedies: defaultRemedies[name!],
    })),
    '2 hours',
  )
  const { text } = await admin.get('/server')
  t.match(text, 'This is out of date')
  const lines = linesOf(text)
  t.equal(lines.length, 3)
  t.match(lines[0], /The worker[^]*has not checked the server[^]*systemctl restart panel-worker/)
  for (const line of lines.slice(1)) t.match(line, / fails[^]*· as of <time/)
})
