import * as fs from 'node:fs'
import type { HostAccount } from '../model/host-account.ts'
import type { Host, Observe, Rebuilt, ResourceName } from '../model/host.ts'
import { slice } from './accounts/slice.ts'
import type { Machine } from './contract.ts'
import { listDrift, takeSnapshot, type AccountDrift } from './drift.ts'
import { isToBeStarted, mayRun, php, renderPool } from './php/fpm.ts'
import { shapeOf, testPool } from './php/pool-test.ts'
import { configurationOf, unreadOf } from './php/unit.ts'
import { inShort } from './tools/file-drift.ts'
import { replaceFiles } from './tools/files.ts'
import { vhosts } from './web/nginx.ts'

// The web server, PHP and limits of many accounts at once: one wait for the disk, one test of each
// kind and one reload for all of them. Whoever needs more than that, or fails here, is left to
// `apply`, which says what is wrong with it (docs/decisions/0020).

type RebuildWork = 'ensureShared' | 'drift' | 'rebuild'

/** What the worker asks of the machine for a rebuild. */
export const rebuildOf = (machine: Machine): Pick<Host, RebuildWork> => ({
  ensureShared: async () => void (await machine.ensureShared()),

  async drift(account) {
    const { driftOf } = await takeSnapshot(machine)
    return listDrift(driftOf(account)).map(inShort)
  },
  rebuild: (accounts, observe) => rebuild(machine, accounts, observe),
})

type Given = Parameters<Host['rebuild']>[0][number]

/** One account on its way; `isDone` until something speaks against it. */
type Case = { given: Given; account: HostAccount; drift: AccountDrift } & Rebuilt

// PHP that is to stop must be known to have ended, and a website that leaves takes more along.
const isForAll = ({ wanted, leaving }: HostAccount, name: ResourceName): boolean =>
  name === slice.name ||
  (name === vhosts.name && leaving.length === 0) ||
  (name === php.name && wanted === 'active')

async function rebuild(
  machine: Machine,
  accounts: readonly Given[],
  observe: Observe,
): Promise<Rebuilt[]> {
  await observe('shared', async () => void (await machine.ensureShared()))
  const { driftOf } = await takeSnapshot(machine)
  const cases = accounts.map((given): Case => {
    const { account } = given
    const drift = driftOf(account)
    const isDone = [...drift.keys()].every(name => isForAll(account, name))
    // Whether limits are put right shows when they have been.
    const seen = new Map([...drift].filter(([name]) => name !== slice.name))
    return { given, account, drift, isDone, differed: listDrift(seen).map(inShort) }
  })
  const left = () => cases.filter(({ isDone }) => isDone)
  const changed = () => left().filter(({ drift }) => drift.has(php.name))
  const phpOf = ({ drift }: Case) => drift.get(php.name) ?? []

  await observe('limits', () => limit(machine, left()))
  await observe('php files', () => writePools(machine, changed()))
  // As in `apply`: PHP stands before the website that asks it. What runs serves it meanwhile.
  await observe('start php', () => {
    const due = changed().filter(one => isToBeStarted(phpOf(one)))
    return startPhp(machine, due)
  })
  await observe('vhosts', () => publishVhosts(machine, left()))
  await observe('reload php', async () => {
    const running = changed().filter(one => mayRun(phpOf(one)))
    machine.services.reloadPhp(running.map(({ account }) => account.uid))
    // The reloads have notes of their own.
    for (const { account } of changed()) {
      fs.rmSync(machine.path(unreadOf(account.uid)), { force: true })
    }
  })
  return cases.map(({ isDone, differed }) => ({ isDone, differed }))
}
async function limit({ services }: Machine, cases: Case[]): Promise<void> {
  for (const one of cases.filter(({ account }) => !services.isLimited(account))) {
    const warning = await services.limit(one.account).catch(() => undefined)
    // Where none can be set the account's record says so, or has to.
    if (services.isLimited(one.account)) one.differed.push('the limits differed')
    else if (typeof warning !== 'string' || !one.given.warnings.includes(warning)) leave([one])
  }
}

async function writePools(machine: Machine, cases: Case[]): Promise<void> {
  const pools = cases.map(one => ({ one, text: renderPool(one.account) }))
  const byShape = Map.groupBy(pools, ({ one, text }) => shapeOf(one.account, text))
  try {
    const files = pools.map(({ one, text }) => ({
      path: machine.path(configurationOf(one.account.uid)),
      text,
      mode: 0o644,
    }))
    for (const { one } of pools) fs.writeFileSync(machine.path(unreadOf(one.account.uid)), '')
    await replaceFiles(files)
  } catch {
    return leave(cases)
  }
  for (const alike of byShape.values()) {
    const [{ one, text }] = alike as [(typeof alike)[number]]
    await testPool(machine, one.account, text).catch(() => leave(alike.map(each => each.one)))
  }
}

async function startPhp({ services }: Machine, cases: Case[]): Promise<void> {
  if (cases.length === 0) return
  await services.startPhp(...cases.map(({ account }) => account.uid)).catch(() => leave(cases))
}

// In one breath, so that they share the test and the reload; a bad one fails alone.
async function publishVhosts(machine: Machine, cases: Case[]): Promise<void> {
  const serve = async ({ account }: Case) => vhosts.ensure?.(machine, account)
  await Promise.all(cases.map(one => serve(one).catch(() => leave([one]))))
}

function leave(cases: readonly Case[]): void {
  for (const one of cases) one.isDone = false
}
