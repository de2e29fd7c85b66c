import * as fs from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { HostAccount } from '../../model/accounts/host-account.ts'
import type { Warning } from '../../model/accounts/warnings.ts'
import { describeExcess } from '../../model/sites/php-limits.ts'
import { agrees, ensureFile, isThere, removeFile } from '../tools/files.ts'
import type { Drift, Machine, Resource } from '../contract.ts'
import { fileDrift } from '../tools/file-drift.ts'
import {
  configurationOf,
  environmentOf,
  isSitePhp,
  listSitePhp,
  programLinkOf,
  siteFoldersOf,
  socketOf,
  startLinkOf,
  testedOf,
  unreadOf,
  type SitePhp,
} from './instances.ts'
import { ensureLog, isLogThere } from './log.ts'
import { renderPool } from './pool.ts'
import { testPool } from './pool-test.ts'
import { isSocketOpen, untilAccepted } from './socket.ts'
import {
  ensureLinks,
  linkDrift,
  listPools,
  removeSiteFiles,
  versionDrift,
  type SitePool,
} from './site-php.ts'
import { unlessUnmanaged } from '../accounts/users.ts'

// PHP of one account: its own master, running as the account and under its limits. So a broken one
// does not affect others, and its memory and CPU count for the account. Its socket is in a folder
// of root's, for nginx only. A website with PHP settings has another master of the same account.

/** The account's PHP, with the account's current limits. */
export const php: Resource = {
  name: 'php',
  ensure: ensurePhp,
  // Neither a visitor nor a restart of the machine starts it again.
  suspend: ({ services }, { uid }) => services.stopPhp(uid),
  hasFormer: (machine, account) => listFormer(machine, account).length > 0,
  async removeFormer(machine, account) {
    const former = listFormer(machine, account)
    await drain(machine, former)
    for (const one of former) {
      await machine.services.stopSitePhp(one)
      removeSiteFiles(machine, one)
    }
    removeSiteFolders(machine, account)
  },
  remove: unlessUnmanaged(async (machine, account) => {
    const { uid } = account
    await machine.services.stopPhp(uid)
    for (const one of listSitePhp(machine, uid)) removeSiteFiles(machine, one)
    removeSiteFolders(machine, account)
    removeFile(machine.path(configurationOf(uid)))
    for (const path of [unreadOf(uid), testedOf(uid)])
      fs.rmSync(machine.path(path), { force: true })
  }),
  async drift(machine) {
    const running = await machine.services.runningPhp()
    return account => phpDrift(machine, account, running)
  },
}

async function ensurePhp(machine: Machine, account: HostAccount): Promise<Warning[]> {
  await ensureInstance(machine, account, { instance: account.uid, program: machine.php.name() })
  const sites = listPools(machine, account)
  for (const pool of sites.filter(({ isInstalled }) => isInstalled)) {
    await ensureInstance(machine, account, pool)
  }
  const missing = sites.filter(({ isInstalled }) => !isInstalled)
  for (const { instance } of missing) await machine.services.stopSitePhp(instance)
  const excess = describeExcess(account.sites, account.limits)
  const warnings: Warning[] =
    excess === undefined ? [] : [{ code: 'php_beyond_package', sentence: excess }]
  if (missing.length === 0) return warnings
  const list = missing.map(({ domain, version }) => `${domain} (PHP ${version})`).join(', ')
  const sentence = `Scripts do not run: their version of PHP is not installed: ${list}`
  return [...warnings, { code: 'php_version_missing', sentence }]
}

// An account's own PHP, or that of a website.
type Pool = SitePool | { instance: number; program: string; settings?: undefined }

const isSite = (pool: Pool): pool is SitePool => isSitePhp(pool.instance)

async function ensureInstance(machine: Machine, account: HostAccount, pool: Pool): Promise<void> {
  const { instance, program, settings } = pool
  const text = renderPool(account, instance, settings)
  const [file, unread] = [machine.path(configurationOf(instance)), machine.path(unreadOf(instance))]
  const isRight = () => !isSite(pool) || linkDrift(machine, pool).length === 0
  // Only if something has changed: during a reload short requests wait for long ones.
  const isChanged = !agrees(file, text, 0o644) || !isRight()
  if (isChanged) fs.writeFileSync(unread, '')
  ensureLog(machine, account)
  if (isChanged && isSite(pool)) ensureLinks(machine, pool)
  if (isChanged) await ensureFile(file, text, 0o644)
  const environment = environmentOf(instance)
  await testPool(machine, { account, instance, program, environment, text })
  await machine.services.startPhp(instance)
  if (!fs.existsSync(unread)) return
  await machine.services.rereadPhp(instance)
  fs.rmSync(unread, { force: true })
}

type Running = Awaited<ReturnType<Machine['services']['runningPhp']>>

function phpDrift(machine: Machine, account: HostAccount, running: Running): (Drift | string)[] {
  const { uid, desired } = account
  const left = listFormer(machine, account).map(one => `PHP ${one} belongs to no website`)
  if (desired !== 'active') {
    const isToStart = [uid, ...listSitePhp(machine, uid)].some(one =>
      isThere(machine.path(startLinkOf(one))),
    )
    return [...left, ...(isToStart ? ['PHP starts with the server'] : [])]
  }
  const log = isLogThere(machine, account) ? [] : ['PHP cannot open its log']
  const own = instanceDrift(machine, account, { instance: uid }, running, log)
  const sites = listPools(machine, account).flatMap(pool => {
    if (!pool.isInstalled) return versionDrift(machine, pool)
    const units = machine.services.sitePhpFiles(pool.instance)
    const links = [
      ...linkDrift(machine, pool),
      ...units.flatMap(({ path, text }) => fileDrift(machine, path, text)),
    ]
    return instanceDrift(machine, account, pool, running, links).map(one =>
      typeof one === 'string' ? `${pool.domain}: ${one}` : one,
    )
  })
  return [...own, ...sites, ...left]
}

function instanceDrift(
  machine: Machine,
  account: HostAccount,
  { instance, settings }: Pick<Pool, 'instance' | 'settings'>,
  running: Running,
  others: readonly (Drift | string)[],
): (Drift | string)[] {
  const text = renderPool(account, instance, settings)
  const file = [...fileDrift(machine, configurationOf(instance), text), ...others]
  const isToStart = isThere(machine.path(startLinkOf(instance)))
  if (!isToStart) return [...file, 'PHP does not start with the server']
  if (!running.has(instance)) return [...file, 'PHP is not running']
  const isUnread = fs.existsSync(machine.path(unreadOf(instance)))
  return isUnread ? [...file, 'PHP has not reloaded its configuration'] : file
}

// Lets requests in progress finish, for a while: nginx sends no others any more.
async function drain(machine: Machine, instances: readonly SitePhp[]): Promise<void> {
  const { services } = machine
  // Requests may wait for a worker, or for PHP to start.
  const serving = instances.filter(
    one =>
      fs.existsSync(machine.path(programLinkOf(one))) && isSocketOpen(machine.path(socketOf(one))),
  )
  await Promise.all(serving.map(one => untilAccepted(machine.path(socketOf(one)), acceptMs)))
  const listLeft = () => {
    const running = services.phpProcesses()
    return instances.filter(one => running.has(one))
  }
  if (listLeft().length === 0) return
  await services.signalPhp(listLeft(), 'SIGQUIT')
  for (const end = performance.now() + drainMs; performance.now() < end; await sleep(10)) {
    if (listLeft().length === 0) return
  }
}

// Few requests wait or take longer, and the operation waits.
const acceptMs = 5_000
const drainMs = 2_000

// Instances of websites that have none any more.
function listFormer(machine: Machine, account: HostAccount) {
  const there = listSitePhp(machine, account.uid)
  if (there.length === 0) return []
  const pool = new Set(listPools(machine, account).map(({ instance }) => instance))
  return there.filter(one => !pool.has(one))
}

function removeSiteFolders(machine: Machine, { uid }: HostAccount): void {
  const folder = machine.path(siteFoldersOf(uid))
  if (isThere(folder) && listSitePhp(machine, uid).length === 0)
    fs.rmSync(folder, { recursive: true })
}
