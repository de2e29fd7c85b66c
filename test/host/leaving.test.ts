import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { apply, erase } from '../../src/host/apply.ts'
import { rebuildOf } from '../../src/host/bulk-apply.ts'
import type { Machine } from '../../src/host/contract.ts'
import { listDrift, takeSnapshot } from '../../src/host/drift.ts'
import { prepare } from '../../src/host/shared.ts'
import { inShort } from '../../src/host/tools/file-drift.ts'
import { toHostAccount, type HostAccount } from '../../src/model/host-account.ts'
import type { Observe, ResourceName } from '../../src/model/host.ts'
import { alice, sandbox, straight, tree, type Sandbox } from './fixtures/sandbox.ts'

// Websites that leave an account which stays.

const shop = { id: '9', domain: 'shop.example' }
const before: HostAccount = { ...alice, sites: [...alice.sites, shop] }
const after: HostAccount = { ...alice, leaving: [shop] }
const states = ['active', 'suspended'] as const

const name = '/var/lib/panel/web/names/shop.example'
const certificate = '/var/lib/panel/certificates/9'
const folder = '/home/alice/sites/shop.example'
const aside = '/home/alice/files/removed-shop.example'
const page = 'public/index.html'

/** A sandbox whose account has two websites, the second with a certificate. */
async function start(t: Test, wanted: (typeof states)[number]): Promise<Sandbox> {
  const box = await sandbox(t)
  await apply(box.machine, before, straight)
  mkdirSync(box.machine.path(certificate))
  writeFileSync(box.machine.path(`${certificate}/served.pem`), 'none')
  await apply(box.machine, { ...before, wanted }, straight)
  return box
}

const driftOf = async (machine: Machine, account: HostAccount): Promise<string[]> =>
  listDrift((await takeSnapshot(machine)).driftOf(account)).map(inShort)

t.test(
  'the rows say which websites are there, which leave, and which are not there yet',
  async t => {
    const { passwordHash, limits, sites: _, leaving: __, ...record } = alice
    const account = toHostAccount(
      {
        ...record,
        state: 'active',
        package: limits,
        sftpKeys: [],
        sites: [
          { id: '7', domain: 'alice.example' },
          { id: '8', domain: 'new.example', wanted: 'present' },
          { id: '9', domain: 'shop.example', wanted: 'absent' },
          { id: '10', domain: 'later.example', wanted: 'reserved' },
        ],
      },
      { passwordHash },
    )
    t.strictSame(
      account.sites.map(({ id }) => id),
      ['7', '8'],
    )
    t.strictSame(account.leaving, [shop])
  },
)

for (const wanted of states) {
  t.test(`one leaves an ${wanted} account, and its files stay its owner's`, async t => {
    const { root, machine } = await start(t, wanted)
    const was = tree(root)
    const whole = { ...after, wanted }
    t.strictSame(await driftOf(machine, whole), [
      'the folder /home/alice/sites/shop.example is still there',
      'the website shop.example is still served',
      'the certificate of shop.example is still there',
    ])
    t.strictSame(await apply(machine, whole, straight), [])
    const is = tree(root)
    t.strictSame(
      Object.keys(is).filter(path => /web.*(shop.example|0000000009)/.test(path)),
      [],
    )
    t.notOk(existsSync(machine.path(certificate)))
    t.notOk(existsSync(machine.path(folder)))
    t.equal(is[`${aside.slice(1)}/${page}`], was[`${folder.slice(1)}/${page}`])
    for (const own of ['sites/0000000007', 'names/alice.example']) {
      t.equal(is[`var/lib/panel/web/${own}`], was[`var/lib/panel/web/${own}`])
    }
    t.strictSame(await driftOf(machine, whole), [])
    await apply(machine, whole, straight)
    t.strictSame(tree(root), is, 'twice is as good as once')
  })

  t.test(`interrupted anywhere, the next run of an ${wanted} account ends it`, async t => {
    const origin = await start(t, wanted)
    const whole = { ...after, wanted }
    const steps: string[] = []
    const once = origin.copy()
    await apply(once.machine, whole, (step, run) => run().then(() => void steps.push(step)))
    const [published, forgotten, put] = [
      steps.indexOf('websites'),
      steps.indexOf('remove left certificates'),
      steps.indexOf('put away left folders'),
    ] as const
    t.ok(0 < published && published < put && put < forgotten, 'nobody asks for what goes')
    for (const step of steps) {
      const { root, machine } = origin.copy()
      const interrupted = apply(machine, whole, async (name, run) => {
        await run()
        if (name === step) throw new Error('interrupted')
      })
      await t.rejects(interrupted, /interrupted/)
      await apply(machine, whole, straight)
      t.strictSame(tree(root), tree(once.root), step)
    }
  })
}

t.test('a name that is taken gets a number, and nothing is lost', async t => {
  const { machine } = await start(t, 'active')
  const [first, second] = [machine.path(aside), machine.path(`${aside}-2`)]
  writeFileSync(first, 'mine')
  symlinkSync('/nowhere', second)
  await apply(machine, after, straight)
  t.equal(readFileSync(first, 'utf8'), 'mine')
  t.equal(readlinkSync(second), '/nowhere')
  t.ok(existsSync(machine.path(`${aside}-3/${page}`)))
})

t.test('what its owner has made of the folder is taken as it is', async t => {
  const outside = t.testdir({ kept: 'as it was' })
  for (const [what, make] of [
    ['gone', () => {}],
    ['a file', (path: string) => writeFileSync(path, 'mine')],
    ['a link', (path: string) => symlinkSync(outside, path)],
    ['an empty folder', (path: string) => mkdirSync(path)],
  ] as const) {
    const { root, machine } = await start(t, 'active')
    rmSync(machine.path(folder), { recursive: true })
    make(machine.path(folder))
    const made = tree(root)[folder.slice(1)]
    t.strictSame(await apply(machine, after, straight), [], what)
    t.equal(tree(root)[folder.slice(1)], undefined, what)
    t.equal(tree(root)[aside.slice(1)], made, what)
    t.strictSame(await driftOf(machine, after), [], what)
  }
  t.strictSame(tree(outside), { kept: '100644 as it was' })
})

t.test('a website of the same name that came meanwhile keeps its folder', async t => {
  const { machine } = await start(t, 'active')
  const again = { ...after, sites: [...alice.sites, { id: '12', domain: shop.domain }] }
  await apply(machine, again, straight)
  t.ok(existsSync(machine.path(`${folder}/${page}`)))
  t.notOk(existsSync(machine.path(aside)))
  t.equal(readlinkSync(machine.path(name)), '../sites/0000000012')
  t.strictSame(await driftOf(machine, again), [])
})

t.test('as long as its names stay, its certificate and folder stay', async t => {
  const { machine } = await start(t, 'active')
  const isNamed: Observe = async (step, work) => {
    if (step === 'websites') throw new Error('no disk')
    await work()
  }
  await t.rejects(apply(machine, after, isNamed))
  t.ok(existsSync(machine.path(certificate)))
  t.ok(existsSync(machine.path(folder)))
  await apply(machine, after, straight)
  t.notOk(existsSync(machine.path(folder)))
})

t.test('the last one leaves, and a rebuild of many leaves it to the account itself', async t => {
  const { machine } = await sandbox(t)
  await apply(machine, alice, straight)
  const last: HostAccount = { ...alice, sites: [], leaving: alice.sites }
  const [left] = await rebuildOf(machine).rebuild([{ account: last, warnings: [] }], straight)
  t.match(left, { isDone: false, differed: { length: 2 } })
  await apply(machine, last, straight)
  t.strictSame(await driftOf(machine, last), [])
})

// A process in which the website comes and leaves again and again, until it is killed.
const program = `
  import { rmSync } from 'node:fs'
  import { apply } from ${address('apply')}
  import { openMachine } from ${address('machine')}
  const [root, ...texts] = process.argv.slice(1)
  const machine = openMachine({ kind: 'sandbox', root })
  const accounts = texts.map(text => JSON.parse(text))
  console.log('ready')
  for (;;) {
    for (const account of accounts) await apply(machine, account, (_, run) => run())
    rmSync(root + '${aside}', { recursive: true, force: true })
  }`

t.test('killed at any moment, the next run leaves it in one place', async t => {
  const { root, machine } = await start(t, 'active')
  for (let kill = 0; kill < 10; kill++) {
    const texts = [before, after].map(account => JSON.stringify(account))
    const args = ['--input-type=module', '-e', program, root, ...texts]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(child.stdout, 'data')
    await sleep(Math.random() * 20)
    child.kill('SIGKILL')
    await once(child, 'exit')
    rmSync(machine.path(aside), { recursive: true, force: true })
    // As the next worker does when it starts.
    await prepare(machine)
    const wasThere = existsSync(machine.path(folder))
    t.strictSame(await apply(machine, after, straight), [])
    t.strictSame(await driftOf(machine, after), [])
    t.equal(existsSync(machine.path(`${aside}/${page}`)), wasThere)
    const sites = readdirSync(machine.path('/home/alice/sites'))
    t.strictSame(sites, ['alice.example'], 'nor is anything half made there')
  }
})

t.test('nothing of it outlives the account', async t => {
  for (const wanted of ['terminated', 'erased'] as const) {
    const { root, machine } = await sandbox(t)
    const empty = tree(root)
    await apply(machine, before, straight)
    mkdirSync(machine.path(certificate))
    if (wanted === 'erased') await erase(machine, after, straight)
    else await apply(machine, { ...after, wanted }, straight)
    const rest = Object.entries(tree(root)).filter(([path]) => !path.startsWith('home/.trash/'))
    t.strictSame(Object.fromEntries(rest), empty, wanted)
  }
})

t.test('a part of the account is looked after alone', async t => {
  const { root, machine } = await sandbox(t)
  await apply(machine, alice, straight)
  const seen = async (account: HostAccount, part: ResourceName[]) => {
    const steps: string[] = []
    await apply(machine, account, (step, run) => run().then(() => void steps.push(step)), part)
    return steps
  }
  const sites: ResourceName[] = ['home', 'websites', 'certificates']
  t.strictSame(await seen(before, sites), ['home', 'websites'])
  t.ok(tree(root)[name.slice(1)])
  const leaves = ['put away left folders', 'remove left certificates', 'clear left websites']
  t.strictSame(await seen(after, sites), ['home', 'websites', ...leaves])
  t.strictSame(await driftOf(machine, after), [])
  t.strictSame(await seen({ ...alice, passwordHash: '$6$new$hash' }, ['user']), ['user', 'unlock'])
  t.match(tree(root)['etc/shadow'], 'alice:$6$new$hash:')
  renameSync(machine.path('/home/alice'), machine.path('/home/other'))
  t.strictSame(await seen(alice, []), [])
  t.notOk(existsSync(machine.path('/home/alice')))
})

function address(module: string): string {
  return JSON.stringify(new URL(`../../src/host/${module}.ts`, import.meta.url).href)
}
