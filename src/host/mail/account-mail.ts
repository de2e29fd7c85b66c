import { rmSync } from 'node:fs'
import type { HostAccount } from '../../model/accounts/host-account.ts'
import { openUserFiles } from '../accounts/user-database.ts'
import { isUnmanaged } from '../accounts/users.ts'
import type { Act, Machine, Resource } from '../contract.ts'
import { holdQueued, removeQueued } from '../mail-hosting/queue.ts'
import { childrenFor } from '../php/pool.ts'
import { agrees, ensureFile, isThere, listNames, type Owner, removeFile } from '../tools/files.ts'
import { allNamesOf } from '../web/websites.ts'
import { accountFileOf, mailOwner, mailState } from './paths.ts'

// An account's permission to send mail: a file of root's that only the mail service reads.

export const mail: Resource = {
  name: 'mail',

  async ensure(machine, account) {
    const owner = mailOwner(machine, openUserFiles(machine.path))
    await ensureFile(machine.path(accountFileOf(account.uid)), renderMail(account), mode, owner)
    await changeQueued(holdQueued, machine, account)
  },

  async suspend(machine, account) {
    await forbid(machine, account)
    await changeQueued(holdQueued, machine, account)
  },

  async remove(machine, account) {
    if (isUnmanaged(machine.users, account)) return
    await forbid(machine, account)
    await changeQueued(removeQueued, machine, account)
  },

  // Another account never gets the number, but the files would stay for ever.
  async clear(machine, account) {
    if (isUnmanaged(machine.users, account)) return
    const folder = machine.path(mailState)
    const isOwn = (name: string) => name.split('.')[0] === String(account.uid)
    for (const name of listNames(folder).filter(isOwn)) rmSync(`${folder}/${name}`, { force: true })
  },

  drift(machine, users) {
    let owner: Owner | undefined
    try {
      owner = mailOwner(machine, users)
    } catch (error) {
      return () => [(error as Error).message]
    }
    return account => {
      const path = machine.path(accountFileOf(account.uid))
      const isAllowed = account.desired === 'active'
      if (!isAllowed) return isThere(path) ? ['the account may send mail'] : []
      return agrees(path, renderMail(account), mode, owner)
        ? []
        : ['what the account may send differs']
    }
  },
}

const mode = 0o640

// The part for mailboxes does so for accounts that have mail domains.
async function changeQueued(change: Act, machine: Machine, account: HostAccount): Promise<void> {
  if (account.mail === undefined) await change(machine, account)
}

async function forbid(machine: Machine, { uid }: HostAccount): Promise<void> {
  const path = accountFileOf(uid)
  if (!isThere(machine.path(path))) return
  removeFile(machine.path(path))
  await machine.sync(path.slice(0, path.lastIndexOf('/')))
}

const maxSlots = 10

/** Renders what an account may send; its websites' names are the domains of its senders. */
export const renderMail = ({ username, limits, sites }: HostAccount): string =>
  `username ${username}
limit ${limits.mailsPerHour}
slots ${Math.min(maxSlots, Math.max(1, childrenFor(limits.memoryMb) >> 1))}
${sites
  .flatMap(allNamesOf)
  .map(name => `domain ${name}\n`)
  .join('')}`
