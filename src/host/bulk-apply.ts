import * as fs from 'node:fs'
import type { HostAccount } from '../model/host-account.ts'
import type { WarningRow } from '../model/warnings.ts'
import type { Host, Observe, Rebuilt, ResourceName } from '../model/host.ts'
import { readmit } from './accounts/tending.ts'
import type { Drift, Machine } from './contract.ts'
import { listDrift, takeSnapshot, type AccountDrift } from './drift.ts'
import { isToBeStarted, mayRun, renderPool } from './php/fpm.ts'
import { ensureLog } from './php/log.ts'
import { shapeOf, testPool } from './php/pool-test.ts'
import { configurationOf, unreadOf } from './php/unit.ts'
import { php, slice, websites } from './resources.ts'
import { inShort } from './tools/file-drift.ts'
import { replaceFiles } from './tools/files.ts'
import { listWebsites, removeWebsites } from './web/strays.ts'
import { ensureWebsites } from './web/websites.ts'

// Websites, PHP and limits of many accounts at once: one wait for the disk and one test of each
// kind for all of them. An account that needs more than that, or fails here, is left to
// `apply`, which says what is wrong with it (docs/decisions/0018-a-rebuild-of-many.md).

/** What the worker asks of the machine for a rebuild. */
export const rebuildOf = (machine: Machine) =>
  ({
    ensureShared: async () => void (await machine.ensureShared()),
    listWebsites: () => listWebsites(machine),
    removeWebsites: websites => removeWebsites(machine, websites),

    async drift(account) {
      const { driftOf } = await takeSnapshot(machine)
      return listDrift(driftOf(account)).map(inShort)
    },
    rebuild: (accounts, observe) => rebuild(machine, accounts, observe),
  }) satisfies Partial<Host>

/** An account that is worked on; `isDone` is taken back where something fails. */
type Case = { account: HostAccount; warnings: readonly WarningRow[]; drift: AccountDrift } & Rebuilt

// Not where PHP has to stop or a website leaves: there more has to be done, in an order. Nor where
// something could not be compared.
const isForAll = ({ wanted, leaving }: HostAccount, name: ResourceName | 'comparison'): boolean =>
  name === slice.name ||
  (name === websites.name && leaving.length === 0) ||
  (name === php.name && wanted === 'active')

async function rebuild(
  machine: Machine,
  accounts: Parameters<Host['rebuild']>[0],
  observe: Observe,
): Promise<Rebuilt[]> {
  await observe('shared', async () => void (await machine.ensureShared()))
  const { driftOf } = await takeSnapshot(machine)
  const cases = accounts.map((given): Case => {
    const drift = driftOf(given.account)
    const isDone = [...drift.keys()].every(name => isForAll(given.account, name))
    // Limits are told below, where they could be put right.
    const seen = new Map([...drift].filter(([name]) => name !== slice.name))
    return { ...given, drift, isDone, differed: listDrift(seen).map(inShort) }
  })
  const left = () => cases.filter(({ isDone }) => isDone)
  const changed = (isMeant: (drift: Drift[]) => boolean = () => true) =>
    left().filter(({ drift }) => drift.has(php.name) && isMeant(drift.get(php.name) ?? []))

  await observe('web access', () => readmitWebServer(machine, cases))
  await observe('limits', () => limit(machine, left()))
  await observe('php files', () => writePools(machine, changed()))
  // As in `apply`, PHP comes before the website that asks it. PHP that runs can answer already.
  await observe('start php', async () => {
    const due = changed(isToBeStarted)
    if (due.length === 0) return
    await machine.services.startPhp(...uidsOf(due)).catch(() => leave(due))
  })
  // Asked for at the same time, so that all share the wait for the disk.
  await observe('websites', async () => {
    const differing = left().filter(({ drift }) => drift.has(websites.name))
    const serve = ({ account }: Case) => ensureWebsites(machine, account)
    await Promise.all(differing.map(one => serve(one).catch(() => leave([one]))))
  })
  await observe('reload php', async () => {
    await machine.services.reloadPhp(uidsOf(changed(mayRun)))
    // Done, or noted where it takes a while.
    for (const uid of uidsOf(changed())) fs.rmSync(machine.path(unreadOf(uid)), { force: true })
  })
  return cases.map(({ isDone, differed }) => ({ isDone, differed }))
}

const uidsOf = (cases: readonly Case[]): number[] => cases.map(({ account }) => account.uid)

function leave(cases: readonly Case[]): void {
  for (const one of cases) one.isDone = false
}

// Whoever names accounts wants all of them put right; of many, one after the other is looked after
// every half hour (accounts/tending.ts).
const mostReadmitted = 20

async function readmitWebServer(machine: Machine, cases: readonly Case[]): Promise<void> {
  if (cases.length > mostReadmitted) return
  const readmitOne = async ({ account, differed }: Case) => {
    const count = await readmit(machine, account).catch(() => 0)
    if (count > 0) differed.push(`the web server could not read ${count} files or folders`)
  }
  await Promise.all(cases.map(readmitOne))
}

async function limit({ services }: Machine, cases: Case[]): Promise<void> {
  for (const one of cases.filter(({ account }) => services.limitState(account) !== 'set')) {
    const warning = await services.limit(one.account).catch(() => undefined)
    // Where none can be set, the account's record says so already or has to be told.
    if (services.limitState(one.account) === 'set') one.differed.push('the limits differed')
    else if (!one.warnings.some(({ code }) => code === warning?.code)) leave([one])
  }
}

async function writePools(machine: Machine, cases: Case[]): Promise<void> {
  const { path } = machine
  for (const one of cases) {
    try {
      ensureLog(machine, one.account)
      fs.writeFileSync(path(unreadOf(one.account.uid)), '')
    } catch {
      leave([one])
    }
  }
  const ready = cases.filter(({ isDone }) => isDone)
  const pools = ready.map(one => ({ one, text: renderPool(one.account) }))
  const byShape = Map.groupBy(pools, ({ one, text }) => shapeOf(one.account, text))
  const fileOf = ({ one, text }: (typeof pools)[number]) => ({
    path: path(configurationOf(one.account.uid)),
    text,
    mode: 0o644,
  })
  try {
    await replaceFiles(pools.map(fileOf))
  } catch {
    return leave(ready)
  }
  for (const alike of byShape.values()) {
    const [{ one, text }] = alike as [(typeof alike)[number]]
    await testPool(machine, one.account, text).catch(() => leave(alike.map(each => each.one)))
  }
}
