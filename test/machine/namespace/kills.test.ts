import t, { type Test } from 'tap'
import { stepsOf } from '../../../src/host/apply.ts'
import { alice } from '../../support/panel.ts'
import { until } from '../../support/until.ts'
import { look, readFiles, nothing } from '../account.ts'
import { expectPage, putFile, run, startServices, visit } from '../machine.ts'
import { eventsOf, isExecuted, openStagedPanel, plan, siteSteps, uidOf } from '../plans.ts'

// The worker is killed after every step of every operation, on the real machine: the next one
// completes it, the caller gets its answer, and PHP answers throughout.

startServices('nginx')
const panel = await openStagedPanel(t)
const sam = { ...alice, username: 'sam', domain: 'sam.example' }

const killAfter = (username: string, step: string) =>
  plan(username, { step, how: 'kill', moment: 'after' })

// All at once: what a kill interrupts besides is resumed as well.
t.test('a worker killed after any step is succeeded, and the operation completes', t =>
  Promise.all([comingAndGoing(t), living(t), withWebsites(t)]),
)

async function comingAndGoing(t: Test): Promise<void> {
  const steps = { create: stepsOf('active'), terminate: stepsOf('terminated') }
  for (let index = 0; index < Math.max(steps.create.length, steps.terminate.length); index++) {
    const username = `user${index}`
    const domain = `${username}.example`
    const [first, last] = [steps.create, steps.terminate].map(list => list[index % list.length]!)
    killAfter(username, first!)
    const body = { ...alice, username, domain }
    const create = await panel.call('POST', '/api/v1/accounts', { body })
    t.match(create, { status: 201, body: { state: 'active' } }, `create, ${first}: ${create.text}`)
    t.ok(isExecuted(username), first!)
    await expectPage(domain, '/', /^200 /)

    killAfter(username, last!)
    const terminate = await panel.call('DELETE', `/api/v1/accounts/${username}`)
    t.match(terminate, { status: 200, body: { state: 'terminated' } }, `terminate, ${last}`)
    t.ok(isExecuted(username), last!)
    const left = readFiles(username, uidOf(username), domain)
    t.strictSame(left, { ...nothing, trash: true }, `terminate, ${last}`)
  }
}

async function living(t: Test): Promise<void> {
  const created = await panel.call('POST', '/api/v1/accounts', { body: sam })
  t.equal(created.status, 201, created.text)
  const uid = uidOf('sam')
  const path = '/api/v1/accounts/sam'
  await expectPage(sam.domain, '/', /^200 /)
  const active = await lookWhenQuiet('sam', uid, sam.domain)
  const act = async (step: string, method: string, path: string, body?: unknown) => {
    killAfter('sam', step)
    const answer = await panel.call(method, path, body === undefined ? {} : { body })
    t.equal(answer.status, 200, `${path}, ${step}: ${answer.text}`)
    t.ok(isExecuted('sam'), step)
  }
  const [suspended, steps] = [stepsOf('suspended'), stepsOf('active')]
  for (let index = 0; index < Math.max(suspended.length, steps.length); index++) {
    const step = steps[index % steps.length]!
    await act(suspended[index % suspended.length]!, 'POST', `${path}/suspend`, {})
    await expectPage(sam.domain, '/', /^503 /)
    t.strictSame(readFiles('sam', uid, sam.domain)['processes'], [])
    await act(step, 'POST', `${path}/unsuspend`)
    await expectPage(sam.domain, '/', /^200 /)
    t.strictSame(await lookWhenQuiet('sam', uid, sam.domain), active, `unsuspend, ${step}`)
  }
  for (const step of steps) {
    await act(step, 'PUT', `${path}/package`, { package: 'other' })
    t.match(await lookWhenQuiet('sam', uid, sam.domain), { memory: [`${96 << 20}\n`], status: 200 })
    await panel.call('PUT', `${path}/package`, { body: { package: 'starter' } })
    t.strictSame(await lookWhenQuiet('sam', uid, sam.domain), active, `package change, ${step}`)
  }
  for (const step of steps) await act(step, 'PUT', `${path}/password`, { password: `new ${step}…` })
}

// The next worker looks through homes as their accounts, with Perl and find; that ends by itself.
// PHP ends after some time without a visitor, and has as many processes as it had visitors at once.
const readers = ['perl', 'nice', 'ionice', 'timeout', 'find', 'setfacl']
const lookWhenQuiet = (username: string, uid: number, domain: string) =>
  until(async () => {
    await visit(domain)
    const seen = await look(username, uid, domain)
    const processes = new Set(seen['processes'] as string[])
    return !readers.some(name => processes.has(name)) && { ...seen, processes: [...processes] }
  })

// Each website is added and removed by a command of root's, and each has its own kills.
async function withWebsites(t: Test): Promise<void> {
  const walt = { ...alice, username: 'walt', domain: 'walt.example' }
  const created = await panel.call('POST', '/api/v1/accounts', { body: walt })
  t.equal(created.status, 201, created.text)
  const uid = uidOf('walt')
  await expectPage(walt.domain, '/', /^200 /)
  await putFile({ uid }, `/home/walt/sites/${walt.domain}/public/a.inc`, 'a source')
  for (const [word, looked] of [
    ['yes', /^200 a source/],
    ['no', /^404 /],
  ] as const) {
    killAfter('walt', 'websites')
    const result = await panel.site('set', 'walt', walt.domain, '--serve-sources', word, '--json')
    t.equal(result.code, 0, `set, ${word}: ${result.stderr}`)
    t.ok(isExecuted('walt'), word)
    await expectPage(walt.domain, '/a.inc', looked)
  }
  const before = await lookWhenQuiet('walt', uid, walt.domain)
  const act = async (what: 'add' | 'rm', domain: string, step: string) => {
    killAfter('walt', step)
    const result = await panel.site(what, 'walt', domain, '--json')
    t.equal(result.code, 0, `${what}, ${step}: ${result.stderr}`)
    t.ok(isExecuted('walt'), step)
    return result.json().sites.map((site: { domain: string }) => site.domain)
  }
  const { add, rm } = siteSteps
  for (let index = 0; index < Math.max(add.length, rm.length); index++) {
    const domain = `shop${index}.example`
    const [first, last] = [add, rm].map(list => list[index % list.length]!)
    const added = await act('add', domain, first!)
    t.strictSame(added, [walt.domain, domain], `add, ${first}`)
    await expectPage(domain, '/', /^200 .*This website is ready/s)
    const file = `kept${index}.html`
    await putFile({ uid }, `/home/walt/sites/${domain}/public/${file}`, 'as it was')

    const left = await act('rm', domain, last!)
    t.strictSame(left, [walt.domain], `remove, ${last}`)
    await expectPage(domain, '/', /^421 /)
    const found = await run('find', ['/home/walt', '-name', file])
    const aside = `/home/walt/files/removed-${domain}/public/${file}\n`
    t.equal(found.stdout, aside, `remove, ${last}: its files are kept, once`)
    t.strictSame(await lookWhenQuiet('walt', uid, walt.domain), before, `remove, ${last}`)
    t.strictSame(await eventsOf(panel, domain), ['site.created', 'site.deleted'], 'each once')
  }
}
