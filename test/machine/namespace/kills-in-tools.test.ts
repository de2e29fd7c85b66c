import t, { type Test } from 'tap'
import { stepsOf } from '../../../src/host/apply.ts'
import { listProcesses } from '../../../src/host/accounts/user-processes.ts'
import { alice } from '../../support/panel.ts'
import { until } from '../../support/until.ts'
import { look, readFiles, nothing } from '../account.ts'
import { asUser, putFile, run, startServices, expectPage } from '../machine.ts'
import {
  eventsOf,
  openStagedPanel,
  killInTools,
  killsIn,
  plan,
  siteSteps,
  uidOf,
} from '../plans.ts'
import { stuckTools, toolMoments } from '../stuck-tools.ts'

// The worker is killed while a tool runs: each tool of each step of every operation, before it has
// done anything and after it has done all. The tool dies with its worker, and the next worker
// completes the operation.

startServices('nginx')
const panel = await openStagedPanel(t)

const sam = { ...alice, username: 'sam', domain: 'sam.example' }
const { username, domain } = sam
const accounts = '/api/v1/accounts'
const path = `${accounts}/${username}`

// Operations are undone after six interruptions; here each has more.
const forget = setInterval(() => {
  const isInterrupted = `state in ('running', 'undoing') and starts > 1`
  void panel.pool.query(`update panel.operations set starts = 1 where ${isInterrupted}`)
}, 100)
t.teardown(() => clearInterval(forget))

t.test('a create whose tools die with their worker completes', async t => {
  await act(t, 'create', stepsOf('active'), ['POST', accounts, sam], 201)
  await expectPage(domain, '/', /^200 /)
  expectTools(t, 'create', [
    ...['user: useradd', 'quota: setquota', 'home: tar', 'home: rm', 'php: php-fpm'],
    'unlock: chpasswd',
  ])
})

t.test('a suspend and an unsuspend survive a kill in each tool', async t => {
  const active = await look(username, uidOf(username), domain)
  await startProcessOf(uidOf(username))
  await act(t, 'suspend', stepsOf('suspended'), ['POST', `${path}/suspend`, {}])
  await expectPage(domain, '/', /^503 /)
  t.strictSame(readFiles(username, uidOf(username), domain)['processes'], [])
  expectTools(t, 'suspend', ['lock: usermod', 'stop php: kill', 'end processes: perl'])
  await act(t, 'unsuspend', stepsOf('active'), ['POST', `${path}/unsuspend`])
  await expectPage(domain, '/', /^200 /)
  t.strictSame(await look(username, uidOf(username), domain), active)
  expectTools(t, 'unsuspend', ['php: php-fpm', 'unlock: usermod'])
})

t.test('a change of the package or the password survives a kill in each tool', async t => {
  const active = await look(username, uidOf(username), domain)
  const change = (name: string) =>
    act(t, 'package change', stepsOf('active'), ['PUT', `${path}/package`, { package: name }])
  await change('other')
  const limited = { memory: [`${96 << 20}\n`], status: 200 }
  t.match(await look(username, uidOf(username), domain), limited)
  await change('starter')
  t.strictSame(await look(username, uidOf(username), domain), active)
  expectTools(t, 'package change', ['php: php-fpm', 'sftp: gpasswd'])
  const password = { password: 'another horse battery' }
  await act(t, 'password', stepsOf('active'), ['PUT', `${path}/password`, password])
  expectTools(t, 'password', ['user: chpasswd'])
})

t.test('adding and removing a website survive a kill in each tool', async t => {
  const [uid, shop] = [uidOf(username), 'shop.example']
  const before = await look(username, uid, domain)
  await actOnSite(t, 'add', shop)
  await expectPage(shop, '/', /^200 /)
  expectTools(t, 'site add', ['home: tar', 'home: rm'])
  await putFile({ uid }, `/home/${username}/sites/${shop}/public/kept.html`, 'as it was')
  await actOnSite(t, 'rm', shop)
  await expectPage(shop, '/', /^421 /)
  expectTools(t, 'site rm', ['set aside old folders: perl'])
  const found = await run('find', [`/home/${username}`, '-name', 'kept.html'])
  t.equal(found.stdout, `/home/${username}/files/removed-${shop}/public/kept.html\n`)
  t.strictSame(await look(username, uid, domain), before)
  t.strictSame(await eventsOf(panel, shop), ['site.created', 'site.deleted'], 'each once')
})

t.test('a terminate survives a kill in each tool', async t => {
  const uid = uidOf(username)
  await startProcessOf(uid)
  await act(t, 'terminate', stepsOf('terminated'), ['DELETE', path])
  t.strictSame(readFiles(username, uid, domain), { ...nothing, trash: true })
  expectTools(t, 'terminate', [
    ...['lock: usermod', 'remove php: kill', 'end processes: perl'],
    ...['remove orphaned files: find', 'remove quota: setquota', 'remove user: userdel'],
  ])
})

t.test('the undo of a create leaves nothing', async t => {
  plan(username, { step: stepsOf('active').at(-1)!, how: 'fail', moment: 'after' })
  const isOwn = (step: string) => !stepsOf('terminated').includes(step)
  await act(t, 'undo', stepsOf('erased').filter(isOwn), ['POST', accounts, sam], 500)
  t.strictSame(readFiles(username, uidOf(username), domain), nothing)
  expectTools(t, 'undo', ['erase home: rm'])
})

type Call = [method: string, path: string, body?: unknown]

async function act(
  t: Test,
  operation: string,
  steps: string[],
  [method, path, body]: Call,
  status = 200,
): Promise<void> {
  killInTools(username, operation, steps)
  const answer = await panel.call(method, path, body === undefined ? {} : { body })
  t.equal(answer.status, status, `${operation}: ${answer.text}`)
  t.strictSame(stuckTools(), [], `${operation}: no tool outlives its worker`)
}

async function actOnSite(t: Test, what: 'add' | 'rm', shop: string): Promise<void> {
  killInTools(username, `site ${what}`, siteSteps[what])
  const result = await panel.site(what, username, shop)
  t.equal(result.code, 0, `${what}: ${result.stderr}`)
  t.strictSame(stuckTools(), [], `${what}: no tool outlives its worker`)
}

/** Asserts that the worker has died in these tools, at both moments. */
function expectTools(t: Test, operation: string, tools: string[]): void {
  const [first = [], second] = toolMoments.map(moment =>
    killsIn(operation).flatMap(kill =>
      kill.endsWith(`, ${moment}`) ? [kill.slice(0, -`, ${moment}`.length)] : [],
    ),
  )
  t.strictSame(first.toSorted(), second?.toSorted(), `${operation}: both moments`)
  for (const tool of tools)
    t.ok(
      first.some(one => one.startsWith(tool)),
      `${operation}, ${tool}`,
    )
  t.comment(`${operation}: ${first.join('; ')}`)
}

/** A process of the account, which has to be ended. */
async function startProcessOf(uid: number): Promise<void> {
  void asUser(uid, ['tail', '-f', '/dev/null'])
  await until(() => listProcesses().some(process => process.uid === uid && process.name === 'tail'))
}
