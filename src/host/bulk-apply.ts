import * as fs from 'node:fs'
import type { HostAccount } from '../model/host-account.ts'
import type { Host, Observe, Rebuilt } from '../model/host.ts'
import { inShort } from './tools/file-drift.ts'
import { driftOf, type AccountDrift } from './drift.ts'
import { replaceFiles } from './tools/files.ts'
import type { Machine } from './machine.ts'
import { renderPool } from './php/fpm.ts'
import { shapeOf, testPool } from './php/pool-test.ts'
import { configurationOf, unreadOf } from './php/unit.ts'
import { takeSnapshot } from './snapshot.ts'

// The web server, PHP and limits of many accounts at once: one wait for the disk, one test of each
// kind and one reload for all of them. Whoever needs more than that, or fails here, is left to
// `apply`, which says what is wrong with it (docs/decisions/0018-a-rebuild-of-many.md).

type RebuildWork = 'ensureShared' | 'drift' | 'rebuild'

/** A part of what a worker asks of the machine. */
export const rebuildOf = (machine: Machine): Pick<Host, RebuildWork> => ({
  ensureShared: async () => void (await machine.ensureShared()),

  async drift(account) {
    const found = driftOf(machine, account, await takeSnapshot(machine))
    return [...found.vhosts, ...found.php, ...found.limits, ...found.others].map(inShort)
  },
  rebuild: (accounts, observe) => rebuild(machine, accounts, observe),
})

type Given = Parameters<Host['rebuild']>[0][number]

/** One account on its way; `isDone` until something speaks against it. */
type Case = { given: Given; account: HostAccount; differences: AccountDrift } & Rebuilt

async function rebuild(
  machine: Machine,
  accounts: readonly Given[],
  observe: Observe,
): Promise<Rebuilt[]> {
  await observe('shared', async () => void (await machine.ensureShared()))
  const snapshot = await takeSnapshot(machine)
  const cases = accounts.map((given): Case => {
    const { account } = given
    const differences = driftOf(machine, account, snapshot)
    const all = [...differences.vhosts, ...differences.php, ...differences.others]
    const isDone = differences.others.length === 0
    return { given, account, differences, isDone, differed: all.map(inShort) }
  })
  const left = () => cases.filter(({ isDone }) => isDone)
  const changed = () => left().filter(({ differences }) => differences.php.length > 0)
  const runs = ({ account }: Case) => snapshot.runsPhp(account.uid)

  await observe('limits', () => limit(machine, left()))
  await observe('php files', () => writePools(machine, changed()))
  // As in `apply`: PHP stands before the website that asks it. What runs serves it meanwhile.
  await observe('start php', () =>
    startPhp(
      machine,
      changed().filter(one => !runs(one)),
    ),
  )
  await observe('vhosts', () => publishVhosts(machine, left()))
  await observe('reload php', async () => {
    machine.services.reloadPhp(
      changed()
        .filter(runs)
        .map(({ account }) => account.uid),
    )
    // The reloads have notes of their own.
    for (const { account } of changed()) {
      fs.rmSync(machine.path(unreadOf(account.uid)), { force: true })
    }
  })
  return cases.map(({ isDone, differed }) => ({ isDone, differed }))
}

async function limit({ services }: Machine, cases: Case[]): Promise<void> {
  for (const one of cases.filter(({ differences }) => !differences.isLimited)) {
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
  const serve = (one: Case) => machine.publish({ texts: one.differences.texts, gone: [] })
  const served = cases.filter(({ account }) => account.sites.length > 0)
  await Promise.all(served.map(one => serve(one).catch(() => leave([one]))))
}

function leave(cases: readonly Case[]): void {
  for (const one of cases) one.isDone = false
}
