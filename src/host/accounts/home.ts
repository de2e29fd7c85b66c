import * as fs from 'node:fs'
import { join } from 'node:path'
import type { HostAccount } from '../../model/accounts/host-account.ts'
import type { Warning } from '../../model/accounts/warnings.ts'
import type { Machine, Resource } from '../contract.ts'
import {
  ensureFolder,
  ensureOwner,
  hasCode,
  isFolder,
  isOwnedBy,
  isThere,
  putAside,
  type Owner,
} from '../tools/files.ts'
import { CommandError } from '../tools/run.ts'
import { trash, trashPlaceOf } from './trash.ts'
import { homeOf } from './users.ts'

// A home is root's, so that sshd may lock a session into it and its user can't replace what is
// directly below. Whatever is deeper is the user's and made as the user: for root it could turn
// into a link to anywhere between two calls. Only the last name of a path that is renamed may be
// the user's, as a rename follows none.

/** The account's home, with a folder for each of its websites. */
export const home: Resource = {
  name: 'home',
  ensure: ensureHome,
  leave: putAwaySites,
  remove: trashHome,
  async erase(machine, account) {
    // Out of reach first: below a folder that only root may enter nobody can plant a link.
    await trashHome(machine, account)
    await machine.files.removeNow(machine.path(trashPlaceOf(account.uid)))
  },
  look: machine => account => homeDrift(machine, account),
  keeps: accounts => ({
    name: 'homes',
    folder: '/home',
    entries: accounts.map(({ username }) => username),
  }),
}

// Makes the home and the folders of the account's websites, and leaves what is in them alone.
async function ensureHome(machine: Machine, account: HostAccount): Promise<Warning | undefined> {
  const place = machine.path(homeOf(account.username))
  const [top, ...inner] = frameOf(machine, account)
  const isNew = ensureFolder(place, top.mode, top.owner)
  const isBegun = fs.readdirSync(place).length > 0
  for (const name of ['sites', 'files', 'tmp', 'logs']) moveAside(place, name)
  const sites = { path: sitesOf(account.username), mode: 0o710, owner: ownersOf(machine, account) }
  const isOwn = ({ owner }: Frame) => owner?.uid !== 0
  for (const { path, mode, owner } of [sites, ...inner.filter(isOwn)]) {
    const folder = machine.path(path)
    if (!isFolder(folder)) await machine.files.makeFolder(folder, mode, owner)
  }
  await admitWebServer(machine, account)
  for (const { path, mode, owner } of inner) ensureFolder(machine.path(path), mode, owner)
  const missing: string[] = []
  for (const site of account.sites) {
    try {
      await ensureSite(machine, account, site)
    } catch (error) {
      // In a home that was made before its user may have closed the folders to itself. That must
      // not keep the account from being suspended or moved to a smaller package.
      if (!isBegun || !isUsersDoing(error)) throw error
      missing.push(site.domain)
    }
  }
  if (isNew) await machine.sync(homeOf(account.username), '/home')
  if (missing.length === 0) return undefined
  const sentence = `The folders of these websites cannot be created: ${missing.join(', ')}`
  return { code: 'site_folders_missing', sentence }
}

// Failures of tools that run as the user, who may have closed or moved its folders.
const isUsersDoing = (error: unknown): boolean =>
  error instanceof CommandError || hasCode(error, 'ENOENT')

type Frame = { path: string; mode: number; owner: Owner | undefined }

/** The folders of a home whose modes and owners are kept as they are. */
function frameOf(
  { files }: Machine,
  { username, uid }: HostAccount,
): [top: Frame, ...inner: Frame[]] {
  const [roots, user] = [files.owner(0, uid), files.owner(uid, uid)]
  const place = homeOf(username)
  return [
    // Its user may list it, as every SFTP client does first, but make nothing in it.
    { path: place, mode: 0o751, owner: roots },
    { path: `${place}/files`, mode: 0o750, owner: ownersOf({ files }, { uid }) },
    { path: `${place}/tmp`, mode: 0o700, owner: user },
    { path: `${place}/logs`, mode: 0o750, owner: roots },
  ]
}

/**
 * Whose the folders are that websites may be in. The web server gets through them as their group,
 * which their user can take away and root alone can give. Who may do what with that of all websites
 * is its user's own matter.
 */
const ownersOf = (
  { files }: Pick<Machine, 'files'>,
  { uid }: Pick<HostAccount, 'uid'>,
): Owner | undefined => files.owner(uid, 'web server')

const sitesOf = (username: string): string => `${homeOf(username)}/sites`

export const publicFolderOf = (username: string, domain: string): string =>
  `${sitesOf(username)}/${domain}/public`

/** Whether a folder of that name is the machine's own, so that no account may get it. */
export function isForeignHome(machine: Machine, account: HostAccount): boolean {
  const place = machine.path(homeOf(account.username))
  const found = fs.lstatSync(place, { throwIfNoEntry: false })
  if (found === undefined) return false
  // An interrupted create leaves an empty home; in one from a backup `sites` has the number.
  if (!found.isDirectory()) return true
  const sites = fs.lstatSync(join(place, 'sites'), { throwIfNoEntry: false })
  if (sites === undefined) return fs.readdirSync(place).length > 0
  const owner = ownersOf(machine, account)
  return owner !== undefined && sites.uid !== owner.uid
}

// Takes the home out of everybody's reach at once, whatever its size; it is deleted later.
async function trashHome(machine: Machine, { username, uid }: HostAccount): Promise<void> {
  // Without the user the name, and so the home, may be another account's by now.
  if (machine.users.find(username) !== uid) return
  const place = machine.path(homeOf(username))
  if (!isFolder(place)) return
  fs.renameSync(place, machine.path(trashPlaceOf(uid)))
  await machine.sync('/home', trash)
}

// Moves the folders of websites that leave to where nobody is served from: they are their owner's.
async function putAwaySites(
  machine: Machine,
  { username, uid, sites, deleting }: HostAccount,
): Promise<Warning | undefined> {
  const kept: string[] = []
  for (const { id, domain, isNew } of deleting) {
    if (isNew) continue
    // Another website has the name by now, and so the folder.
    if (sites.some(site => site.domain === domain)) continue
    const [sitesFolder, filesFolder] = [sitesOf(username), `${homeOf(username)}/files`]
    const from = machine.path(`${sitesFolder}/${domain}`)
    const to = machine.path(`${filesFolder}/${asideOf(domain)}`)
    try {
      await machine.files.moveAside(uid, from, to)
      // Left by an interrupted start of the website.
      await machine.files.discard(uid, freshOf(machine, username, id))
      await machine.sync(sitesFolder, filesFolder)
    } catch (error) {
      // A tool that hangs fails the step, which is done again.
      if (!(error instanceof CommandError) || error.exitCode === undefined) throw error
      kept.push(domain)
    }
  }
  if (kept.length === 0) return undefined
  const sentence = `The folders of these removed websites cannot be set aside: ${kept.join(', ')}`
  return { code: 'removed_site_folders_kept', sentence }
}

// Leaves room for a number in the 255 bytes that a name may have.
const asideOf = (domain: string): string => `removed-${domain}`.slice(0, 240)

// Moves away what its user has put in the place of a folder, while somebody had made the home
// writable.
function moveAside(place: string, name: string): void {
  const path = join(place, name)
  const found = fs.lstatSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory() === false) putAside(path)
}

// Folders that belong to another group were made when the web server was another user, or before
// uploads and releases were let in too.
async function admitWebServer(machine: Machine, account: HostAccount): Promise<void> {
  const owner = ownersOf(machine, account)
  const home = machine.path(homeOf(account.username))
  const folders = ['sites', 'files'].map(name => join(home, name))
  if (owner === undefined || folders.every(path => isOwnedBy(path, owner))) return
  try {
    await machine.files.admitWebServer(account.uid, [...folders, join(home, 'tmp')])
  } catch (error) {
    // What is left of a home that is too large is let in by and by (tending.ts).
    if (!isUsersDoing(error)) throw error
  }
  // Last: it says that this has been done.
  for (const path of folders) ensureOwner(path, owner)
}

const freshOf = (machine: Machine, username: string, siteId: string): string =>
  machine.path(`${sitesOf(username)}/.site-${siteId}`)

// A website's folder too is made aside, so that what its owner removed later doesn't come back.
async function ensureSite(
  machine: Machine,
  { username, uid }: HostAccount,
  { id, domain }: HostAccount['sites'][number],
): Promise<void> {
  const final = machine.path(`${sitesOf(username)}/${domain}`)
  if (isThere(final)) return
  const fresh = freshOf(machine, username, id)
  await machine.files.discard(uid, fresh)
  await machine.files.makeSite(uid, fresh)
  try {
    fs.renameSync(fresh, final)
  } catch (error) {
    // Its user has put something there meanwhile, which stays.
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST', 'ENOTDIR', 'EISDIR')) throw error
  }
}

function homeDrift(machine: Machine, account: HostAccount): string[] {
  const { username, sites, deleting } = account
  const place = sitesOf(username)
  const folders: Folder[] = [
    ...frameOf(machine, account),
    { path: place, owner: ownersOf(machine, account) },
    ...sites
      .map(({ domain }) => ({ path: `${place}/${domain}` }))
      .filter(({ path }) => !isOwnLink(machine, account, path)),
  ]
  const left = deleting
    .filter(({ domain, isNew }) => !isNew && !sites.some(site => site.domain === domain))
    .map(({ domain }) => `${place}/${domain}`)
    .filter(path => isThere(machine.path(path)))
  return [
    ...folders.flatMap(folder => folderDrift(machine, folder)),
    ...left.map(path => `the folder ${path} is still there`),
  ]
}

// An account may have its website be elsewhere in its home. Nothing is made through the link: where
// it leads is for the web server to judge, and for the doctor to tell (served.ts).
function isOwnLink({ files, path: at }: Machine, { uid }: HostAccount, path: string): boolean {
  const found = fs.lstatSync(at(path), { throwIfNoEntry: false })
  const owner = files.owner(uid, uid)
  return found?.isSymbolicLink() === true && (owner === undefined || found.uid === owner.uid)
}

type Folder = { path: string; mode?: number; owner?: Owner | undefined }

function folderDrift(machine: Machine, { path, mode, owner }: Folder): string[] {
  const found = fs.lstatSync(machine.path(path), { throwIfNoEntry: false })
  if (found?.isDirectory() !== true) return [`there is no folder ${path}`]
  const isMode = mode === undefined || (found.mode & 0o7777) === mode
  const isOwned = owner === undefined || (found.uid === owner.uid && found.gid === owner.gid)
  return [
    ...(isMode ? [] : [`the mode of ${path} differs`]),
    ...(isOwned ? [] : [`the owner of ${path} differs`]),
  ]
}
