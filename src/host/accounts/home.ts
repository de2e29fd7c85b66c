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
import { trash, trashPathOf } from './trash.ts'
import { homeOf } from './users.ts'

// A home is root's, so that sshd may lock a session into it and its user cannot replace what is
// directly below. Everything deeper is the user's and is made as the user: for root it could turn
// into a link to anywhere between two calls. In a rename, only the last name of a path may be the
// user's, as a rename does not follow that one.

/** The account's home, with a folder for each of its websites. */
export const home: Resource = {
  name: 'home',
  ensure: ensureHome,
  removeDeleted: putAwaySites,
  remove: trashHome,
  async erase(machine, account) {
    // First make it inaccessible: no user can plant a link below a folder that only root may enter.
    await trashHome(machine, account)
    await machine.files.removeNow(machine.path(trashPathOf(account.uid)))
  },
  drift: machine => account => homeDrift(machine, account),
  keeps: accounts => ({
    name: 'homes',
    folder: '/home',
    entries: accounts.map(({ username }) => username),
  }),
}

// Makes the home and the folders of the account's websites; leaves their content unchanged.
async function ensureHome(machine: Machine, account: HostAccount): Promise<Warning | undefined> {
  const location = machine.path(homeOf(account.username))
  const [top, ...inner] = frameOf(machine, account)
  const isNew = ensureFolder(location, top.mode, top.owner)
  const isBegun = fs.readdirSync(location).length > 0
  for (const name of ['sites', 'files', 'tmp', 'logs']) moveAside(location, name)
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
      // The user of an existing home may have closed the folders to itself. That must not keep the
      // account from being suspended or moved to a smaller package.
      if (!isBegun || !isUsersDoing(error)) throw error
      missing.push(site.domain)
    }
  }
  if (isNew) await machine.sync(homeOf(account.username), '/home')
  if (missing.length === 0) return undefined
  const sentence = `The folders of these websites cannot be created: ${missing.join(', ')}`
  return { code: 'site_folders_missing', sentence }
}

// Recognizes failures of tools that run as the user, which may have closed or moved its folders.
const isUsersDoing = (error: unknown): boolean =>
  error instanceof CommandError || hasCode(error, 'ENOENT')

type Frame = { path: string; mode: number; owner: Owner | undefined }

/** Returns the folders of a home whose modes and owners the panel maintains. */
function frameOf(
  { files }: Machine,
  { username, uid }: HostAccount,
): [top: Frame, ...inner: Frame[]] {
  const [roots, user] = [files.owner(0, uid), files.owner(uid, uid)]
  const location = homeOf(username)
  return [
    // The user may list it, which every SFTP client does first, but create nothing in it.
    { path: location, mode: 0o751, owner: roots },
    { path: `${location}/files`, mode: 0o750, owner: ownersOf({ files }, { uid }) },
    { path: `${location}/tmp`, mode: 0o700, owner: user },
    { path: `${location}/logs`, mode: 0o750, owner: roots },
  ]
}

/**
 * Returns the owners of the folders that websites are in. The web server has access to them as
 * their group, which their user can take away and only root can restore. How the files of one
 * website may be accessed from another is the account's own decision.
 */
const ownersOf = (
  { files }: Pick<Machine, 'files'>,
  { uid }: Pick<HostAccount, 'uid'>,
): Owner | undefined => files.owner(uid, 'web server')

const sitesOf = (username: string): string => `${homeOf(username)}/sites`

export type PublicSite = Pick<HostAccount['sites'][number], 'domain' | 'settings'>

/** Returns the path of a website's public folder, which is below the website's own. */
export const publicFolderOf = (username: string, { domain, settings }: PublicSite): string =>
  `${sitesOf(username)}/${domain}/${settings?.document_root ?? 'public'}`

/** Returns whether the folder is not the panel's, so that no account may use it as its home. */
export function isForeignHome(machine: Machine, account: HostAccount): boolean {
  const location = machine.path(homeOf(account.username))
  const found = fs.lstatSync(location, { throwIfNoEntry: false })
  if (found === undefined) return false
  // An interrupted create leaves an empty home; in a restored home, `sites` has the number.
  if (!found.isDirectory()) return true
  const sites = fs.lstatSync(join(location, 'sites'), { throwIfNoEntry: false })
  if (sites === undefined) return fs.readdirSync(location).length > 0
  const owner = ownersOf(machine, account)
  return owner !== undefined && sites.uid !== owner.uid
}

// Moves the home out of reach in one step, whatever its size; it is deleted later.
async function trashHome(machine: Machine, { username, uid }: HostAccount): Promise<void> {
  // Without its user, the name, and so the home, may belong to another account by now.
  if (machine.users.find(username) !== uid) return
  const location = machine.path(homeOf(username))
  if (!isFolder(location)) return
  fs.renameSync(location, machine.path(trashPathOf(uid)))
  await machine.sync('/home', trash)
}

// Moves the folders of removed websites to where they are not served: the account keeps them.
async function putAwaySites(
  machine: Machine,
  { username, uid, sites, deleting }: HostAccount,
): Promise<Warning | undefined> {
  const kept: string[] = []
  for (const { id, domain, isNew } of deleting) {
    if (isNew) continue
    // Another website has taken the name, and so the folder.
    if (sites.some(site => site.domain === domain)) continue
    const [sitesFolder, filesFolder] = [sitesOf(username), `${homeOf(username)}/files`]
    const from = machine.path(`${sitesFolder}/${domain}`)
    const to = machine.path(`${filesFolder}/${asideOf(domain)}`)
    try {
      await machine.files.moveAside(uid, from, to)
      // Left by an interrupted creation of the website.
      await machine.files.discard(uid, freshOf(machine, username, id))
      await machine.sync(sitesFolder, filesFolder)
    } catch (error) {
      // A tool that hangs fails the step, which is then retried.
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

// Moves away an object that the user has put in place of a folder, while the home was writable.
function moveAside(location: string, name: string): void {
  const path = join(location, name)
  const found = fs.lstatSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory() === false) putAside(path)
}

// Folders with another group were made when the web server had another user, or before it could
// read uploads and releases.
async function admitWebServer(machine: Machine, account: HostAccount): Promise<void> {
  const owner = ownersOf(machine, account)
  const home = machine.path(homeOf(account.username))
  const folders = ['sites', 'files'].map(name => join(home, name))
  if (owner === undefined || folders.every(path => isOwnedBy(path, owner))) return
  try {
    await machine.files.admitWebServer(account.uid, [...folders, join(home, 'tmp')])
  } catch (error) {
    // Maintenance of homes (tending.ts) handles the rest of a home that is too large.
    if (!isUsersDoing(error)) throw error
  }
  // Set last: the owner records that this has been done.
  for (const path of folders) ensureOwner(path, owner)
}

const freshOf = (machine: Machine, username: string, siteId: string): string =>
  machine.path(`${sitesOf(username)}/.site-${siteId}`)

// Creates a website's folder under another name first, so that content that the account removed
// later does not come back.
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
    // The user has put something there meanwhile; it stays.
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST', 'ENOTDIR', 'EISDIR')) throw error
  }
}

function homeDrift(machine: Machine, account: HostAccount): string[] {
  const { username, sites, deleting } = account
  const location = sitesOf(username)
  const folders: Folder[] = [
    ...frameOf(machine, account),
    { path: location, owner: ownersOf(machine, account) },
    ...sites
      .map(({ domain }) => ({ path: `${location}/${domain}` }))
      .filter(({ path }) => !isOwnLink(machine, account, path)),
  ]
  const left = deleting
    .filter(({ domain, isNew }) => !isNew && !sites.some(site => site.domain === domain))
    .map(({ domain }) => `${location}/${domain}`)
    .filter(path => isThere(machine.path(path)))
  return [
    ...folders.flatMap(folder => folderDrift(machine, folder)),
    ...left.map(path => `the folder ${path} is still there`),
  ]
}

// Returns whether the account has replaced a website's folder by a link within its home. Nothing is
// created through the link: the web server decides whether to serve its target, and the doctor
// reports it (served.ts).
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
