import {
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import t from 'tap'
import { apply, erase } from '../../src/host/apply.ts'
import { rebuildOf } from '../../src/host/rebuild.ts'
import { toHostAccount, type HostAccount } from '../../src/model/accounts/host-account.ts'
import type { Observe, ResourceName } from '../../src/model/server/host.ts'
import {
  after,
  aside,
  before,
  certificate,
  driftOf,
  folder,
  page,
  shop,
  states,
  twoSites,
} from '../support/host/deleting.ts'
import { alice, sandbox, straight, tree } from '../support/host/sandbox.ts'

// Websites that leave an account which stays.

const name = '/var/lib/panel/web/names/shop.example'

t.test(
  'the rows say which websites are there, which leave, and which are not there yet',
  async t => {
    const { passwordHash, limits, sites: _, deleting: __, ...record } = alice
    const account = toHostAccount(
      {
        ...record,
        state: 'active',
        package: limits,
        sftpKeys: [],
      },
      {
        passwordHash,
        parts: {
          sites: [
            { id: '7', domain: 'alice.example', desired: 'present' },
            { id: '8', domain: 'new.example', desired: 'present' },
            { id: '9', domain: 'shop.example', desired: 'absent' },
            { id: '10', domain: 'later.example', desired: 'reserved' },
          ].map(row => ({ ...row, settings: {}, closed: null, isNew: false })),
        },
      },
    )
    t.strictSame(
      account.sites.map(({ id }) => id),
      ['7', '8'],
    )
    t.strictSame(account.deleting, [shop])
  },
)

for (const desired of states) {
  t.test(`one leaves an ${desired} account, and its files stay its owner's`, async t => {
    const { root, machine } = await twoSites(t, desired)
    const was = tree(root)
    const whole = { ...after, desired }
    t.strictSame(await driftOf(machine, whole), [
      'the folder /home/alice/sites/shop.example is still there',
      'the website shop.example is still served',
      'the certificate of shop.example is still there',
      ...(desired === 'active' ? ['what the account may send differs'] : []),
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
}

t.test('a name that is taken gets a number, and nothing is lost', async t => {
  const { machine } = await twoSites(t, 'active')
  const [first, second] = [machine.path(aside), machine.path(`${aside}-2`)]
  writeFileSync(first, 'mine')
  symlinkSync('/nowhere', second)
  await apply(machine, after, straight)
  t.equal(readFileSync(first, 'utf8'), 'mine')
  t.equal(readlinkSync(second), '/nowhere')
  t.ok(existsSync(machine.path(`${aside}-3/${page}`)))
})

t.test('changes that the owner made in the folder are kept', async t => {
  const outside = t.testdir({ kept: 'as it was' })
  for (const [what, make] of [
    ['gone', () => {}],
    ['a file', (path: string) => writeFileSync(path, 'mine')],
    ['a link', (path: string) => symlinkSync(outside, path)],
    ['an empty folder', (path: string) => mkdirSync(path)],
  ] as const) {
    const { root, machine } = await twoSites(t, 'active')
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
  const { machine } = await twoSites(t, 'active')
  const again = { ...after, sites: [...alice.sites, { id: '12', domain: shop.domain }] }
  await apply(machine, again, straight)
  t.ok(existsSync(machine.path(`${folder}/${page}`)))
  t.notOk(existsSync(machine.path(aside)))
  t.equal(readlinkSync(machine.path(name)), '../sites/0000000012')
  t.strictSame(await driftOf(machine, again), [])
})

t.test('as long as its names stay, its certificate and folder stay', async t => {
  const { machine } = await twoSites(t, 'active')
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

t.test('the last one leaves, and a rebuild repairs its account as a whole', async t => {
  const { machine } = await sandbox(t)
  await apply(machine, alice, straight)
  const last: HostAccount = { ...alice, sites: [], deleting: alice.sites }
  const { differed, part } = await rebuildOf(machine).compare(last)
  t.equal(differed.length, 3)
  t.equal(part, undefined)
  await apply(machine, last, straight)
  t.strictSame(await driftOf(machine, last), [])
})

t.test('nothing of it outlives the account', async t => {
  for (const desired of ['terminated', 'erased'] as const) {
    const { root, machine } = await sandbox(t)
    const empty = tree(root)
    await apply(machine, before, straight)
    mkdirSync(machine.path(certificate))
    if (desired === 'erased') await erase(machine, after, straight)
    else await apply(machine, { ...after, desired }, straight)
    const rest = Object.entries(tree(root)).filter(([path]) => !path.startsWith('home/.trash/'))
    t.strictSame(Object.fromEntries(rest), empty, desired)
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
  const leaves = ['set aside old folders', 'remove old certificates', 'clear old websites']
  t.strictSame(await seen(after, sites), ['home', 'websites', ...leaves])
  t.strictSame(await driftOf(machine, after), [])
  t.strictSame(await seen({ ...alice, passwordHash: '$6$new$hash' }, ['user']), ['user', 'unlock'])
  t.match(tree(root)['etc/shadow'], 'alice:$6$new$hash:')
  renameSync(machine.path('/home/alice'), machine.path('/home/other'))
  t.strictSame(await seen(alice, []), [])
  t.notOk(existsSync(machine.path('/home/alice')))
})
