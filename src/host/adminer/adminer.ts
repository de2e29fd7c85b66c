import { existsSync } from 'node:fs'
import { adminerPort } from '../../model/server/host.ts'
import { adminerUser } from '../accounts/users.ts'
import { hasKernel } from '../accounts/user-processes.ts'
import type { Warning } from '../../model/accounts/warnings.ts'
import type { Machine, SharedFile } from '../contract.ts'
import { configurationOf, socketOf, startLinkOf } from '../php/instances.ts'
import { listenerOn } from '../services/listening.ts'
import { whileStale } from '../services/stale.ts'
import { agrees, ensureFile, ensureFolder, isThere, removeFile } from '../tools/files.ts'
import { textOf } from '../tools/file-drift.ts'
import { hasIpv6 } from '../web/nginx-prepare.ts'
import { ownCertificateFile } from '../web/own-certificate.ts'
import { folder, ownFolder, pageFile, program, renderPage, renderPool } from './page.ts'
import { renderWeb, webFile } from './web.ts'
import { mariaDb } from '../mariadb/mariadb.ts'

// The distribution's Adminer, for customers who have a ticket: with its own user and its own PHP,
// maintained like an account's, behind nginx (docs/decisions/0038-adminer.md).

/** The error for opening a database where Adminer is not installed. */
export const missing = 'Adminer is not installed on this server'
const unready = 'Adminer is not ready on this server'

/** Returns why no database can be opened in Adminer; undefined where it is ready. */
export const whyNoAdminer = (machine: Machine): string | undefined =>
  isOffered(machine) ? (isReady(machine) ? undefined : unready) : missing

/** Returns how a machine's Adminer differs from its desired state. */
export const adminerDrift = (machine: Machine): string[] =>
  whyNoAdminer(machine) === unready ? [unready] : []

/** Sets up Adminer where it is installed, and removes it from nginx where it no longer is. */
export async function ensureAdminer(machine: Machine): Promise<Warning | void> {
  if (!isOffered(machine)) return forget(machine)
  if (isReady(machine)) return
  await machine.users.ensureSystemUser(adminerUser)
  const uid = machine.users.find(adminerUser)
  if (uid === undefined) throw new Error(`There is no user ${adminerUser}`)
  // Its unit's sandbox is stricter than an account's.
  await machine.services.ensureSharedFiles()
  ensureFolder(machine.path(folder), 0o755, machine.files.owner(0, 0))
  ensureFolder(machine.path(ownFolder), 0o700, machine.files.owner(uid, uid))
  await write(machine, pageOf(machine))
  // Before the start: a process that has just begun would die of the signal.
  if (await write(machine, poolOf(uid))) await machine.services.rereadPhp(uid)
  await machine.services.startPhp(uid)
  return serve(machine, webOf(machine, uid))
}

// The panel's own nginx site is required, as on an installed panel.
const isOffered = (machine: Machine): boolean =>
  hasKernel(machine) &&
  [program, ownCertificateFile].every(path => existsSync(machine.path(path))) &&
  machine.part(mariaDb).lack() === undefined

function isReady(machine: Machine): boolean {
  const uid = machine.users.find(adminerUser)
  return (
    uid !== undefined &&
    [pageOf(machine), poolOf(uid), webOf(machine, uid)].every(({ path, text }) =>
      agrees(machine.path(path), text, 0o644),
    ) &&
    isThere(machine.path(startLinkOf(uid)))
  )
}

const pageOf = (machine: Machine): SharedFile => ({
  path: pageFile,
  text: renderPage(machine.part(mariaDb).socket),
})

const poolOf = (uid: number): SharedFile => ({
  path: configurationOf(uid),
  text: renderPool(socketOf(uid)),
})

const webOf = (machine: Machine, uid: number): SharedFile => ({
  path: webFile,
  text: renderWeb({ php: socketOf(uid), hasIpv6: hasIpv6(machine) }),
})

async function write(machine: Machine, { path, text }: SharedFile): Promise<boolean> {
  if (agrees(machine.path(path), text, 0o644)) return false
  await ensureFile(machine.path(path), text, 0o644)
  return true
}

// The same nginx serves websites: a configuration that it refuses, or could not start with, is not
// kept.
async function serve(machine: Machine, file: SharedFile): Promise<Warning | void> {
  const before = textOf(machine.path(file.path))
  const other = before === undefined ? listenerOn(adminerPort) : undefined
  if (other !== undefined) throw new Error(`${other} listens on port ${adminerPort}`)
  return whileStale(machine, 'nginx', async () => {
    await write(machine, file)
    try {
      await machine.run('nginx', ['-t', '-q'])
    } catch (error) {
      if (before === undefined) removeFile(machine.path(file.path))
      else await write(machine, { ...file, text: before })
      throw error
    }
    return machine.services.reload('nginx')
  })
}

async function forget(machine: Machine): Promise<Warning | void> {
  if (!isThere(machine.path(webFile))) return
  const uid = machine.users.find(adminerUser)
  if (uid !== undefined) await machine.services.stopPhp(uid)
  removeFile(machine.path(webFile))
  return whileStale(machine, 'nginx', () => machine.services.reload('nginx'))
}
