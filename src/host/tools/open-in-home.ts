import { constants } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { PanelError } from '../../errors.ts'
import type { HostAccount } from '../../model/accounts/host-account.ts'
import { homeOf } from '../accounts/users.ts'
import type { Machine } from '../contract.ts'

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants

/**
 * Opens a file of the account's own in its home. Every folder on the way is opened by itself: the
 * customer may replace any of them by a link at any moment, and none is followed.
 *
 * @throws {PanelError} `invalid` for anything but a file of this account
 */
export async function openInHome(
  machine: Machine,
  { username, uid }: Pick<HostAccount, 'username' | 'uid'>,
  file: string,
): Promise<FileHandle> {
  const names = file.split('/')
  const last = names.pop() ?? ''
  let opened: FileHandle | undefined
  try {
    opened = await open(machine.path(homeOf(username)), O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    for (const name of names) opened = await step(opened, name, O_DIRECTORY)
    opened = await step(opened, last, O_NONBLOCK)
    const found = await opened.stat()
    // A hard link to a file of another user has that user's number. A sandbox has one user only.
    const isOwn = found.uid === uid || !machine.tools.areRequired
    if (found.isFile() && isOwn) return opened
  } catch (error) {
    await opened?.close()
    throw missing(file, error)
  }
  await opened.close()
  throw missing(file)
}

/**
 * Opens a folder in the home of an account in the same way, for what is to be done directly in it:
 * `/proc/self/fd/FD/NAME` then is that name in exactly this folder.
 *
 * @throws {PanelError} `invalid` if a link is on the way, or there is no folder
 */
export async function openFolderInHome(
  machine: Machine,
  { username }: Pick<HostAccount, 'username'>,
  folder: string,
): Promise<FileHandle> {
  let opened: FileHandle | undefined
  try {
    opened = await open(machine.path(homeOf(username)), O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    for (const name of folder.split('/')) opened = await step(opened, name, O_DIRECTORY)
    return opened
  } catch (error) {
    await opened?.close()
    throw noFolder(folder, error)
  }
}

async function step(folder: FileHandle, name: string, flag: number): Promise<FileHandle> {
  const next = await open(`/proc/self/fd/${folder.fd}/${name}`, O_RDONLY | O_NOFOLLOW | flag)
  await folder.close()
  return next
}

/** Refuses a folder of a home that cannot be opened. */
export const noFolder = (folder: string, cause: unknown): PanelError =>
  new PanelError('invalid', `${folder} in the home is no folder, or a link leads to it`, { cause })

const missing = (file: string, cause?: unknown): PanelError =>
  new PanelError('invalid', `The home has no file ${file}`, { field: 'file', cause })
