import { lstatSync, mkdirSync, renameSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { HostAccount } from '../../model/accounts/host-account.ts'
import { homeOf } from '../accounts/users.ts'
import type { Machine, Resource } from '../contract.ts'
import type { RestorableParts } from '../kept.ts'
import { isThere } from '../tools/files.ts'
import { CommandError } from '../tools/run.ts'
import { noFolder, openFolderInHome } from '../tools/open-in-home.ts'
import { replacedFolder, spoolOf } from './paths.ts'
import { stagedPathOf } from './stage.ts'

// Staged content is moved into the home by renames, each in a folder that was opened without
// following a link: the customer may swap any folder at any moment.

/** Moves staged files and folders into the home: see `BackupService`. */
export async function moveStaged(
  machine: Machine,
  account: HostAccount,
  restoreId: string,
  paths: readonly string[],
): Promise<void> {
  const { username, uid } = account
  const home = homeOf(username)
  const replaced = machine.path(`${replacedFolder}/${restoreId}`)
  mkdirSync(replaced, { recursive: true, mode: 0o700 })
  const stagedOf = (path: string) => stagedPathOf(machine, uid, `${home}/${path}`)
  // An earlier start has moved the others.
  const left = [...paths.entries()].filter(([, path]) => isThere(stagedOf(path)))
  // All of them before the first is moved: a link on the way to the last one changes nothing.
  for (const [, path] of left) await ensureFolderOf(machine, account, path)
  for (const [index, path] of left) {
    const staged = stagedOf(path)
    const folder = await openFolderInHome(machine, account, dirname(path))
    try {
      const at = `/proc/self/fd/${folder.fd}/${basename(path)}`
      if (isPresent(at)) renameSync(at, freeNameOf(`${replaced}/${index}`))
      renameSync(staged, at)
      await folder.sync()
    } finally {
      await folder.close()
    }
  }
  const present = paths.map(path => machine.path(`${home}/${path}`)).filter(isThere)
  await machine.files.readmitWebServer(uid, present)
}

// As the account: what it may not make is refused.
async function ensureFolderOf(machine: Machine, account: HostAccount, path: string): Promise<void> {
  const { username, uid } = account
  const above = dirname(path)
  const words = ['-p', '--', machine.path(`${homeOf(username)}/${above}`)]
  if (above.includes('/')) {
    await machine.run('mkdir', words, { as: uid }).catch(error => {
      if (error instanceof CommandError) throw noFolder(above, error)
      throw error
    })
  }
  await (await openFolderInHome(machine, account, above)).close()
}

const isPresent = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false }) !== undefined

// The account has made something again after an interrupted start had moved the former away.
function freeNameOf(path: string): string {
  let [name, count] = [path, 1]
  while (isPresent(name)) name = `${path}-${++count}`
  return name
}

/** Brings back a staged dump: see `BackupService`. */
export async function restoreDump(
  machine: Machine,
  { account, dump, others }: { account: HostAccount; dump: string; others: readonly Resource[] },
  signal: AbortSignal,
): Promise<string[] | undefined> {
  const [name, file = ''] = dump.split('/')
  const resource = others.find(one => one.name === name)
  const path = stagedPathOf(machine, account.uid, `${spoolOf(account.uid)}/${dump}`)
  return resource?.restoreDump?.(machine, account, { file, path, signal })
}

/** Adds staged mail to a mailbox: see `BackupService`. */
export async function restoreMailbox(
  machine: Machine,
  {
    account,
    mailbox,
    parts,
  }: { account: HostAccount; mailbox: string; parts: RestorableParts<Machine> | undefined },
  signal: AbortSignal,
): Promise<boolean> {
  if (parts === undefined) return false
  const staged = stagedPathOf(machine, account.uid, parts.pathOf(account.uid, mailbox))
  return parts.restore(machine, account, { name: mailbox, staged, signal })
}
