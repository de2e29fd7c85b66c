import * as fs from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { HostAccount } from '../../model/host-account.ts'
import { ensureFolder, ensureOwner, hasCode, syncFolder, type Owner } from '../tools/files.ts'
import type { Machine } from '../machine.ts'
import { CommandError } from '../tools/run.ts'
import { renderIndexPage } from '../web/pages.ts'
import { unpackSkeleton } from './skeleton.ts'
import { homeOf, webServerId } from './users.ts'

// A home is root's, so that sshd may lock a session into it and its user can't replace what is
// directly below. Whatever is deeper is the user's and made as the user: for root it could turn
// into a link to anywhere between two calls. Only the last name of a path that is renamed may be
// the user's, as a rename follows none.

/** Makes the home and the folders of the account's sites, and leaves what is in them alone. */
export async function ensureHome(
  machine: Machine,
  account: HostAccount,
): Promise<string | undefined> {
  const home = machine.path(homeOf(account.username))
  const [top, ...inner] = frameOf(machine, account)
  const isNew = ensureFolder(home, top.mode, top.owner)
  const isBegun = fs.readdirSync(home).length > 0
  for (const name of ['.sites', 'sites', 'files', 'tmp', 'logs']) moveAside(home, name)
  if (!isFolder(join(home, 'sites'))) makeSites(machine, account)
  ensureOwner(join(home, 'sites'), ownerOfSites(machine, account))
  for (const { path, mode, owner } of inner) ensureFolder(machine.path(path), mode, owner)
  const missing: string[] = []
  for (const site of account.sites) {
    try {
      await ensureSite(machine, account, site)
    } catch (error) {
      // Made before, and its user has seen to it that it can't be made again. That must not keep
      // the user from being suspended, or moved to a smaller package.
      if (!isBegun || !(error instanceof CommandError || hasCode(error, 'ENOENT'))) throw error
      missing.push(site.domain)
    }
  }
  if (isNew && machine.isDurable)
    await Promise.all([syncFolder(home), syncFolder(machine.path('/home'))])
  if (missing.length === 0) return undefined
  return `The folders of these websites cannot be made in the home: ${missing.join(', ')}`
}

type Frame = { path: string; mode: number; owner: Owner | undefined }

/** The folders of a home whose modes and owners are kept as they are. */
export function frameOf(
  machine: Machine,
  { username, uid }: HostAccount,
): [top: Frame, ...inner: Frame[]] {
  const [roots, user] = [ownerOn(machine, 0, uid), ownerOn(machine, uid, uid)]
  const home = homeOf(username)
  return [
    // Its user may list it, which every SFTP client does first, but put nothing beside the others.
    { path: home, mode: 0o751, owner: roots },
    { path: `${home}/files`, mode: 0o750, owner: user },
    { path: `${home}/tmp`, mode: 0o700, owner: user },
    { path: `${home}/logs`, mode: 0o750, owner: roots },
  ]
}

/** Whose the folder of all sites is. Who may do what with it is its user's own matter. */
export const ownerOfSites = (machine: Machine, { uid }: HostAccount): Owner | undefined =>
  ownerOn(machine, uid, machine.kind === 'linux' ? webServerId() : 0)

export const publicFolderOf = (username: string, domain: string): string =>
  `${homeOf(username)}/sites/${domain}/public`

/** Whether a folder of that name is the machine's own, so that no account may get it. */
export function isForeignHome(machine: Machine, { username, uid }: HostAccount): boolean {
  if (machine.kind === 'sandbox') return false
  const home = homeOf(username)
  const found = fs.lstatSync(home, { throwIfNoEntry: false })
  if (found === undefined) return false
  // A home that was begun is empty still; a home that came from a backup belongs to the number.
  if (!found.isDirectory()) return true
  const sites = fs.lstatSync(join(home, 'sites'), { throwIfNoEntry: false })
  return sites === undefined ? fs.readdirSync(home).length > 0 : sites.uid !== uid
}

/** Takes the home out of everybody's reach at once, whatever its size; it is deleted later. */
export async function trashHome(machine: Machine, { username, uid }: HostAccount): Promise<void> {
  // Without the user the name, and so the home, may be another account's by now.
  if (machine.users.find(username) !== uid) return
  const home = machine.path(homeOf(username))
  if (!isFolder(home)) return
  fs.renameSync(home, machine.path(trashOf(uid)))
  await Promise.all([syncFolder(machine.path('/home')), syncFolder(machine.path(trash))])
}

// A create that is undone has brought little; far below what an operation may take as a whole.
const eraseLimitMs = 120_000

/** Leaves nothing of the home. */
export async function eraseHome(machine: Machine, account: HostAccount): Promise<void> {
  // Out of reach first: below a folder that only root may enter nobody can plant a link.
  await trashHome(machine, account)
  const path = machine.path(trashOf(account.uid))
  if (machine.kind === 'sandbox') await fs.promises.rm(path, { recursive: true, force: true })
  else
    await machine.run('rm', ['-rf', '--one-file-system', '--', path], { timeoutMs: eraseLimitMs })
}

/** On the file system of the homes, so that moving a home there is one rename. */
export const trash = '/home/.trash'

// Numbers are never given again, so neither is this name.
const trashOf = (uid: number): string => `${trash}/${uid}`

/** Who owns a folder; in the sandbox all is owned by whoever runs the panel. */
const ownerOn = (machine: Machine, uid: number, gid: number): Owner | undefined =>
  machine.kind === 'linux' ? { uid, gid } : undefined

const isFolder = (path: string): boolean =>
  fs.lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true

// What was planted in the place of a folder while somebody had made the home writable. Only root
// can put anything there by now, and the rename takes a link itself, never what it points to.
function moveAside(home: string, name: string): void {
  const place = join(home, name)
  const found = fs.lstatSync(place, { throwIfNoEntry: false })
  if (found === undefined || found.isDirectory()) return
  const isTaken = (path: string) => fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined
  let count = 1
  while (isTaken(`${home}/.moved-${count}-${name}`)) count++
  fs.renameSync(place, `${home}/.moved-${count}-${name}`)
}

// Made aside and renamed: where the folder exists, it is complete. The web server gets through it
// as its group, which its user can take away and root alone can give.
function makeSites(machine: Machine, account: HostAccount): void {
  const home = machine.path(homeOf(account.username))
  ensureFolder(`${home}/.sites`, 0o710, ownerOfSites(machine, account))
  fs.renameSync(`${home}/.sites`, `${home}/sites`)
}

// A site's folder too is made aside, so that what its owner removed later doesn't come back.
async function ensureSite(
  machine: Machine,
  { username, uid }: HostAccount,
  { id, domain }: HostAccount['sites'][number],
): Promise<void> {
  const sites = `${homeOf(username)}/sites`
  if (fs.lstatSync(machine.path(`${sites}/${domain}`), { throwIfNoEntry: false })) return
  const fresh = `${sites}/.site-${id}`
  const make = machine.kind === 'sandbox' ? makeSiteHere : makeSiteAs
  await make(machine, uid, fresh, `${sites}/${domain}`)
}

type MakeSite = (machine: Machine, uid: number, fresh: string, final: string) => Promise<void>

const makeSiteAs: MakeSite = async (machine, uid, fresh, final) => {
  // What an interrupted run left, or the account has put there.
  const isLeft = fs.lstatSync(machine.path(fresh), { throwIfNoEntry: false }) !== undefined
  if (isLeft) await machine.run('rm', ['-rf', '--', fresh], { as: uid })
  await unpackSkeleton(machine, uid, { name: basename(fresh), folder: dirname(fresh) })
  moveToPlace(machine.path(fresh), machine.path(final))
}

const makeSiteHere: MakeSite = async (machine, _, fresh, final) => {
  const place = machine.path(fresh)
  ensureFolder(place, 0o750)
  ensureFolder(join(place, 'public'), 0o750)
  fs.writeFileSync(join(place, 'public', 'index.html'), renderIndexPage(), { mode: 0o640 })
  moveToPlace(place, machine.path(final))
}

// What its user has put there meanwhile stays.
function moveToPlace(fresh: string, final: string): void {
  try {
    fs.renameSync(fresh, final)
  } catch (error) {
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST', 'ENOTDIR', 'EISDIR')) throw error
  }
}
