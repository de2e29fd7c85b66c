import * as fs from 'node:fs'
import type { HostAccount } from '../model/host-account.ts'
import { cronPlaces } from './access/cron.ts'
import { fileDrift, type Drift } from './tools/file-drift.ts'
import type { Owner } from './tools/files.ts'
import { frameOf, ownerOfSites } from './accounts/home.ts'
import type { Machine } from './machine.ts'
import { live } from './web/nginx-shared.ts'
import { vhostsOf } from './web/nginx.ts'
import { renderPool } from './php/fpm.ts'
import { configurationOf, startLinkOf, unreadOf } from './php/unit.ts'
import { limitsOf } from './accounts/quota.ts'
import { closedGroup, sftpGroup } from './access/sftp.ts'
import type { Snapshot } from './snapshot.ts'
import { expired, homeOf, isStrangers, noShell } from './accounts/users.ts'

/** What `apply` would change, as far as it can be seen without starting a process for each. */
export type AccountDrift = {
  vhosts: Drift[]
  /** What nginx should have. */
  texts: ReadonlyMap<string, string>
  php: Drift[]
  /** Whether memory, CPU and processes are limited as they should be. */
  isLimited: boolean
  /** What there is to say of that; nothing where they can't be limited. */
  limits: Drift[]
  /** User, home, disk limit and crontab. */
  others: Drift[]
}

/** Looks, and changes nothing. */
export const driftOf = (
  machine: Machine,
  account: HostAccount,
  snapshot: Snapshot,
): AccountDrift => {
  const php = phpDrift(machine, account, snapshot)
  const texts = vhostsOf(machine, account)
  const isLimited = machine.services.isLimited(account)
  const isLimitDue = !isLimited && machine.services.isLimitDue(account)
  return {
    vhosts: [...texts].flatMap(([id, text]) => fileDrift(machine, `${live}/${id}.conf`, text)),
    texts,
    // One that is to stop must be known to have ended.
    php: account.wanted === 'active' ? php : [],
    isLimited,
    limits: isLimitDue ? [{ sentence: 'the limits differ' }] : [],
    others: [...userDrift(machine, account, snapshot), ...(account.wanted === 'active' ? [] : php)],
  }
}

function userDrift(machine: Machine, account: HostAccount, snapshot: Snapshot): Drift[] {
  const { path } = machine
  const { username, uid, sites } = account
  if (isStrangers(snapshot, account)) {
    return [{ sentence: `the number ${uid} is ${snapshot.nameOf(uid)}'s` }]
  }
  const said: string[] = []
  const number = snapshot.find(username)
  if (number === undefined) said.push('the user is missing')
  else if (number !== uid) said.push(`the user has the number ${number}`)
  else said.push(...doorDrift(account, snapshot))
  const inSites = `${homeOf(username)}/sites`
  const folders: Folder[] = [
    ...frameOf(machine, account),
    { path: inSites, owner: ownerOfSites(machine, account) },
    ...sites.map(({ domain }) => ({ path: `${inSites}/${domain}` })),
  ]
  said.push(...folders.flatMap(folder => folderDrift(machine, folder)))
  const limit = snapshot.diskLimitOf?.(uid)
  if (limit !== undefined && limit !== limitsOf(account).join(' ')) {
    said.push('the disk limit differs')
  }
  const { live: crontab, parked } = cronPlaces(path, account)
  const isActive = account.wanted === 'active'
  const isAside = fs.lstatSync(isActive ? parked : crontab, { throwIfNoEntry: false })
  if (isAside !== undefined) said.push(isActive ? 'cron jobs are parked' : 'cron jobs run')
  const atJobs = snapshot.atJobsOf(uid)
  if (isActive && atJobs?.parked === true) said.push('at jobs are parked')
  if (!isActive && atJobs?.waiting === true) said.push('at jobs run')
  return said.map(sentence => ({ sentence }))
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

// Who gets in: by which password, whether at all, and where to.
function doorDrift(account: HostAccount, snapshot: Snapshot): string[] {
  const said: string[] = []
  const entry = snapshot.entryOf(account)
  if (entry?.shell !== noShell) said.push('the shell differs')
  if (entry?.home !== homeOf(account.username)) {
    said.push('the home in the user database differs')
  }
  const isActive = account.wanted === 'active'
  const shadow = snapshot.shadowOf(account)
  const lock = isActive ? '' : '!'
  // One who was made again while suspended gets the password with the end of that.
  const isUnset = !isActive && shadow?.password === '!'
  if (!isUnset && shadow?.password !== lock + account.passwordHash) {
    said.push('the password differs')
  }
  if (shadow?.expires !== (isActive ? '' : expired)) said.push('the expiry differs')
  for (const [group, isIn] of [
    [sftpGroup, account.limits.sftp],
    [closedGroup, !account.limits.sftp],
  ] as const) {
    if (snapshot.isMember(account, group) !== isIn) said.push(`the membership in ${group} differs`)
  }
  return said
}

function phpDrift(machine: Machine, account: HostAccount, snapshot: Snapshot): Drift[] {
  const { uid, wanted } = account
  const link = machine.path(startLinkOf(uid))
  const isStarted = fs.lstatSync(link, { throwIfNoEntry: false }) !== undefined
  if (wanted !== 'active') return isStarted ? [{ sentence: 'PHP is to start' }] : []
  const file = fileDrift(machine, configurationOf(uid), renderPool(account))
  if (!isStarted) return [...file, { sentence: 'PHP is not to start' }]
  if (!snapshot.runsPhp(uid)) return [...file, { sentence: 'PHP does not run' }]
  const isUnread = fs.existsSync(machine.path(unreadOf(uid)))
  return isUnread ? [...file, { sentence: 'PHP has not read its file' }] : file
}
