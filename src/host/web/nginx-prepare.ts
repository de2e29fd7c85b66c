import * as fs from 'node:fs'
import { dirname } from 'node:path'
import { log } from '../../log.ts'
import { hasKernel } from '../accounts/user-processes.ts'
import { webServer } from '../accounts/users.ts'
import {
  agrees,
  ensureFile,
  ensureFolder,
  ensureLink,
  isThere,
  listNames,
  removeFile,
  targetOf,
} from '../tools/files.ts'
import { textOf } from '../tools/file-drift.ts'
import type { Warning } from '../../model/accounts/warnings.ts'
import type { Machine, SharedFile } from '../contract.ts'
import { isStale, whileStale } from '../services/stale.ts'
import { readMailHost } from '../mail-server/setup.ts'
import { acmeLink, freshFolder, suspendedPage } from './folders.ts'
import {
  accessLog,
  hasHttp2Directive,
  ownFile,
  renderNginx,
  sharedFile,
  userIn,
  whyNotIncluded,
  withUser,
} from './nginx.ts'
import { hasWelcome, noteBefore, welcome } from './nginx-before.ts'
import { renderSuspendedPage } from './pages.ts'
import { readTrustedProxies } from './trusted-proxies-file.ts'

/** The modules that nginx loads: links that packages make and remove. */
export const modulesFolder = '/etc/nginx/modules-enabled'
const brotliModule = `${modulesFolder}/50-mod-http-brotli-filter.conf`

/** Returns the desired files that all websites share. */
export function nginxFiles(machine: Machine): SharedFile[] {
  const own = textOf(machine.path(ownFile))
  return [
    { path: suspendedPage, text: renderSuspendedPage() },
    { path: sharedFile, text: renderNginx(traitsOf(machine)) },
    // nginx's workers read the keys of websites, so no other program runs as their user.
    ...(own === undefined || userIn(own) === webServer
      ? []
      : [{ path: ownFile, text: withUser(own, webServer) }]),
  ]
}

/** Returns those of these files that are missing or were changed. */
export const listDifferingShared = (machine: Machine): string[] =>
  nginxFiles(machine)
    .filter(isDifferent(machine))
    .map(({ path }) => path)

const isDifferent =
  (machine: Machine) =>
  ({ path, text }: SharedFile): boolean =>
    !agrees(machine.path(path), text, 0o644)

/**
 * Returns whether the configuration was written for other modules than nginx loads now: it would
 * not start with directives of a module that is gone.
 */
export function hasOtherModules(machine: Machine): boolean {
  const text = textOf(machine.path(sharedFile))
  return text !== undefined && /^ *brotli on;$/m.test(text) !== hasBrotli(machine)
}

/**
 * Writes the configuration that all websites share, and reloads nginx only if something differed.
 * If nginx refuses it, the machine stays as it was.
 */
export async function prepareNginx(machine: Machine): Promise<Warning | void> {
  const why = whyNotIncluded(textOf(machine.path(ownFile)))
  if (why !== undefined) throw new Error(why)
  removeFresh(machine.path(freshFolder))
  if (targetOf(machine.path(acmeLink)) === undefined) ensureLink(machine.path(acmeLink), 'none')
  makeLog(machine)
  const files = nginxFiles(machine)
  const differing = files.filter(isDifferent(machine))
  if (differing.length === 0 && !isStale(machine, 'nginx')) return
  return whileStale(machine, 'nginx', () => replace(machine, differing))
}

async function replace(machine: Machine, differing: SharedFile[]): Promise<Warning | void> {
  const write = ({ path, text }: SharedFile) => ensureFile(machine.path(path), text, 0o644)
  await noteBefore(machine)
  removeWelcome(machine)
  const before = differing.map(({ path }) => ({ path, text: textOf(machine.path(path)) }))
  for (const file of differing) await write(file)
  try {
    await machine.run('nginx', ['-t', '-q'])
  } catch (error) {
    // nginx refuses the whole configuration, and must be able to start after a power cut.
    for (const { path, text } of before) {
      if (text === undefined) removeFile(machine.path(path))
      else await write({ path, text })
    }
    throw error
  }
  return machine.services.reload('nginx')
}

/** Makes all websites answer challenges for the account with this thumbprint; needs no reload. */
export function answerChallenges(machine: Machine, thumbprint: string): Promise<void> {
  const folder = dirname(acmeLink)
  ensureFolder(machine.path(`${folder}/${thumbprint}`), 0o755)
  ensureLink(machine.path(acmeLink), thumbprint)
  return machine.sync(folder)
}

// Links left by an interrupted process.
function removeFresh(folder: string): void {
  const links = fs.readdirSync(folder).map(name => `${folder}/${name}`)
  for (const link of links) if (targetOf(link) !== undefined) fs.rmSync(link)
}

// Before nginx, which would make it readable by every account: it covers all websites.
function makeLog(machine: Machine): void {
  const path = machine.path(accessLog)
  fs.closeSync(fs.openSync(path, 'a', 0o640))
  fs.chmodSync(path, 0o640)
}

const traitsOf = (machine: Machine) => ({
  hasIpv6: hasIpv6(machine),
  hasHttp2Directive: readHttp2(machine.path('/var/lib/dpkg/status')),
  hasBrotli: hasBrotli(machine),
  setsVariables: setsVariables(machine),
  trustedProxies: readTrustedProxies(machine),
  mailHost: readMailHost(machine),
})

// Debian's package database has a few megabytes, and is read only if it has changed.
let lastRead: { stamp: string; has: boolean } | undefined
function readHttp2(path: string): boolean {
  const { ino, mtimeMs, size } = fs.statSync(path, { throwIfNoEntry: false }) ?? {}
  const stamp = [path, ino, mtimeMs, size].join()
  if (lastRead?.stamp !== stamp) lastRead = { stamp, has: hasHttp2Directive(textOf(path)) }
  return lastRead.has
}

/** Returns whether nginx loads the module, which an administrator can install and remove. */
function hasBrotli(machine: Machine): boolean {
  const own = textOf(machine.path(ownFile))
  return (
    own !== undefined &&
    /^[ \t]*include[ \t]+(\/etc\/nginx\/)?modules-enabled\/\*\.conf;/m.test(own) &&
    isThere(machine.path(brotliModule))
  )
}

// In the machine's own configuration, or in a file that an administrator has added to it.
function setsVariables(machine: Machine): boolean {
  const folder = dirname(sharedFile)
  const added = listNames(machine.path(folder))
    .filter(name => name.endsWith('.conf'))
    .map(name => `${folder}/${name}`)
  return [ownFile, ...added.filter(path => path !== sharedFile)].some(path =>
    /^[ \t]*variables_hash_max_size[ \t]/m.test(textOf(machine.path(path)) ?? ''),
  )
}

/** `listen [::]` stops nginx on a machine without IPv6. */
export const hasIpv6 = (machine: Machine): boolean =>
  !hasKernel(machine) || fs.existsSync(machine.path('/proc/net/if_inet6'))

// Debian's welcome page is also a default server, and there can be only one.
function removeWelcome(machine: Machine): void {
  if (!hasWelcome(machine)) return
  const path = machine.path(welcome.link)
  fs.rmSync(path)
  log.info('the welcome page of nginx was switched off', { path })
}
