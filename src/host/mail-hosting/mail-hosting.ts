import type { HostAccount } from '../../model/accounts/host-account.ts'
import type { MailService } from '../../model/mail/mail-domains.ts'
import { isUnmanaged } from '../accounts/users.ts'
import type { Machine, Resource } from '../contract.ts'
import { isThere } from '../tools/files.ts'
import { mailPrograms } from './daemons.ts'
import {
  ensureFolders,
  folderDrift,
  removeDomainFolder,
  setAside,
  trashMailboxes,
} from './folders.ts'
import * as maps from './maps.ts'
import { ensurePasswd, isPasswdSo, removePasswd } from './passwd.ts'
import { mailboxFolder } from '../mail-server/paths.ts'
import { mailDaemons } from '../mail-server/daemons.ts'
import { mailboxesOf, passwdFile } from './paths.ts'
import { holdQueued, removeQueued } from './queue.ts'
import { domainsOf, mailboxesIn, renderMaps, renderPasswd } from './rendering.ts'
import { restorableMailboxes } from './restore-mailbox.ts'
import { measureMailboxes } from './sizes.ts'
import { ensureSetupNames, setupDrift } from './setup-names.ts'
import { ensureKey, hasKey, publicKeyOf, removeKeys } from './signing-keys.ts'

// The account's mailboxes and the addresses that lead to them (docs/decisions/0055-mail.md). The
// daemons read all of it from files, so it is made while they are down, too.

export const mailHosting: Resource = {
  name: 'mailboxes',
  // A server without mail has none of it.
  isNeeded: (machine, { uid, mail }) =>
    (mail !== undefined || isThere(machine.path(mailboxesOf(uid)))) && maps.haveMaps(machine),
  // No mail is taken in before the account's disk is limited.
  needs: ['quota'],
  ensure,
  suspend: ensure,
  async remove(machine, account) {
    if (isUnmanaged(machine.users, account)) return
    await ensure(machine, { ...account, desired: 'terminated' })
  },
  async clear(machine, account) {
    if (!isUnmanaged(machine.users, account)) await trashMailboxes(machine, account)
  },
  drift,
  serve: machine =>
    ({
      publicKey: (domain, selector) => publicKeyOf(machine, domain, selector),
      measure: mailboxes => measureMailboxes(machine, mailboxes),
      endConnections: mailbox => machine.part(mailPrograms).kick([mailbox]),
    }) satisfies MailService,
  folderOf: mailboxesOf,
  parts: restorableMailboxes,
  keeps: accounts => ({
    name: 'mailboxes',
    folder: mailboxFolder,
    entries: accounts.map(({ uid }) => String(uid)),
  }),
}

// Removed addresses leave the maps first, so that no mail for them is taken in. Added ones enter
// them once Dovecot knows them, so that no mail is refused.
async function ensure(machine: Machine, account: HostAccount): Promise<void> {
  const { uid } = account
  const desired = renderMaps(account)
  const found = maps.readLines(maps.readMaps(machine), uid)
  const kept = maps.withoutGone(found, desired)
  const commit = machine.part(maps.mailMaps)
  if (maps.differing(found, kept).length > 0) await commit({ uid, lines: kept })
  await ensureFolders(machine, account)
  const { added, isReduced } = await ensureLogins(machine, account, found)
  for (const address of added) await machine.part(mailPrograms).waitFor(address)
  const isDue = maps.differing(kept, desired).length + maps.listStale(machine).length > 0
  if (isDue) await commit({ uid, lines: desired })
  await ensureSetupNames(machine, account)
  await removeGone(machine, account, isReduced)
}

// Makes the key of each domain, and lists its mailboxes for Dovecot. Returns the last new mailbox
// of each domain, whose list is read as a whole, and whether a login is gone or has changed.
async function ensureLogins(
  machine: Machine,
  account: HostAccount,
  { mailboxes }: maps.MapLines,
): Promise<{ added: string[]; isReduced: boolean }> {
  const language = await machine.part(mailDaemons).dovecotVersion()
  const added: string[] = []
  let isReduced = false
  for (const one of domainsOf(account)) {
    await ensureKey(machine, one)
    const text = renderPasswd(account, one, language)
    if (await ensurePasswd(machine, one.domain, text)) isReduced = true
    const isNew = (address: string) => one.isActive && !maps.hasLine(mailboxes, address)
    const all = mailboxesIn(one).map(({ localPart }) => `${localPart}@${one.domain}`)
    added.push(...all.filter(isNew).slice(-1))
  }
  return { added, isReduced }
}

async function removeGone(
  machine: Machine,
  account: HostAccount,
  isReduced: boolean,
): Promise<void> {
  const { uid, mail = [], desired } = account
  const isGone = (one: { desired: 'present' | 'absent' }) =>
    desired === 'terminated' || one.desired === 'absent'
  let isWaiting = isReduced
  for (const one of mail.filter(isGone)) {
    if (removePasswd(machine, one.domain)) isWaiting = true
    removeKeys(machine, one.domain)
  }
  // A mail program whose connection is ended logs in again at once.
  if (isWaiting) await machine.part(mailPrograms).waitForLists()
  // Connections that were open before go on until they are ended.
  const masks = mail.flatMap(one => {
    if (desired !== 'active' || one.desired === 'absent') return [`*@${one.domain}`]
    return one.mailboxes.filter(isGone).map(({ localPart }) => `${localPart}@${one.domain}`)
  })
  await machine.part(mailPrograms).kick(masks)
  if (desired === 'terminated') return removeQueued(machine, account)
  for (const one of mail) {
    for (const mailbox of one.mailboxes.filter(({ desired }) => desired === 'absent')) {
      await setAside(machine, account, one, mailbox)
    }
    if (isGone(one)) removeDomainFolder(machine, uid, one.domain)
  }
  await holdQueued(machine, account)
}

function drift(machine: Machine) {
  if (!maps.haveMaps(machine)) return () => []
  const found = maps.readMaps(machine)
  const stale = maps.listStale(machine)
  return (account: HostAccount): string[] => {
    const { uid, mail = [] } = account
    const lines = maps.readLines(found, uid)
    const desired = renderMaps(account)
    const differing = maps.differing(lines, desired)
    const gone = mail.filter(one => !domainsOf(account).includes(one))
    return [
      ...differing.map(name => `the account's lines in ${name} differ`),
      // Each account that uses a map has it compiled again.
      ...stale.filter(name => desired[name].length > 0).map(name => `${name} is not compiled`),
      ...domainsOf(account).flatMap(one => (hasKey(machine, one) ? [] : [noKey(one.domain)])),
      // The drift shows no line: lines have hashes of passwords.
      ...domainsOf(account)
        .filter(one => !isPasswdSo(machine, account, one))
        .map(({ domain }) => `${passwdFile(domain)} differs`),
      ...gone.flatMap(({ domain }) =>
        isThere(machine.path(passwdFile(domain))) ? [`${passwdFile(domain)} is still there`] : [],
      ),
      ...folderDrift(machine, account),
      ...setupDrift(machine, account),
    ]
  }
}

const noKey = (domain: string): string => `${domain} has no key for signatures`
