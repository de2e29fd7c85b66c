import * as fs from 'node:fs'
import type { HostAccount } from '../model/host-account.ts'
import { cronPlaces } from './cron.ts'
import { fileDifference, type Difference } from './difference.ts'
import { isFolderSo, isOwnedBy } from './files.ts'
import { frameOf, ownerOfSites } from './home.ts'
import type { Machine } from './machine.ts'
import { live } from './nginx-shared.ts'
import { vhostsOf } from './nginx.ts'
import { renderPool } from './php-fpm.ts'
import { configurationOf, startLinkOf, unreadOf } from './php-unit.ts'
import { limitsOf } from './quota.ts'
import { closedGroup, sftpGroup } from './sftp.ts'
import type { Sight } from './sight.ts'
import { expired, homeOf, isStrangers } from './users.ts'

/** What `apply` would change, as far as it can be seen without starting a process for each. */
export type Differences = {
  vhosts: Difference[]
  /** What nginx should have. */
  texts: ReadonlyMap<string, string>
  php: Difference[]
  /** Memory, CPU and processes, where they can be limited. */
  limits: Difference[]
  /** User, home, disk limit and crontab. */
  others: Difference[]
}

/** Looks, and changes nothing. */
export const differencesOf = (
  machine: Machine,
  account: HostAccount,
  sight: Sight,
): Differences => {
  const php = phpDifferences(machine, account, sight)
  const texts = vhostsOf(machine, account)
  return {
    vhosts: [...texts].flatMap(([id, text]) => fileDifference(machine, `${live}/${id}.conf`, text)),
    texts,
    // One that is to stop must be known to have ended.
    php: account.wanted === 'active' ? php : [],
    limits: machine.services.isLimitDue(account) ? [{ sentence: 'the limits differ' }] : [],
    others: [
      ...userDifferences(machine, account, sight),
      ...(account.wanted === 'active' ? [] : php),
    ],
  }
}

function userDifferences(machine: Machine, account: HostAccount, sight: Sight): Difference[] {
  const { path } = machine
  const { username, uid, sites } = account
  if (isStrangers(sight, account)) {
    return [{ sentence: `the number ${uid} is ${sight.nameOf(uid)}'s` }]
  }
  const said: string[] = []
  const number = sight.find(username)
  if (number === undefined) said.push('the user is missing')
  else if (number !== uid) said.push(`the user has the number ${number}`)
  else said.push(...doorDifferences(account, sight))
  const frame = frameOf(machine, account)
  const folders = ['', ...sites.map(({ domain }) => `/${domain}`)]
  const inner = folders.map(folder => `${homeOf(username)}/sites${folder}`)
  for (const place of [...frame.map(one => one.path), ...inner]) {
    const found = fs.lstatSync(path(place), { throwIfNoEntry: false })
    if (found?.isDirectory() !== true) said.push(`there is no folder ${place}`)
  }
  for (const { path: place, mode, owner } of frame) {
    const isThere = fs.existsSync(path(place))
    if (isThere && !isFolderSo(path(place), mode, owner)) said.push(`the mode of ${place} differs`)
  }
  const sitesOwner = ownerOfSites(machine, account)
  const sitesFolder = `${homeOf(username)}/sites`
  if (sitesOwner !== undefined && !isOwnedBy(path(sitesFolder), sitesOwner)) {
    said.push(`the owner of ${sitesFolder} differs`)
  }
  const limit = sight.diskLimitOf?.(uid)
  if (limit !== undefined && limit !== limitsOf(account).join(' ')) {
    said.push('the disk limit differs')
  }
  const { live: crontab, parked } = cronPlaces(path, account)
  const isActive = account.wanted === 'active'
  const isAside = fs.lstatSync(isActive ? parked : crontab, { throwIfNoEntry: false })
  if (isAside !== undefined) said.push(isActive ? 'cron jobs are parked' : 'cron jobs run')
  return said.map(sentence => ({ sentence }))
}

// Who gets in: by which password, and whether at all.
function doorDifferences(account: HostAccount, sight: Sight): string[] {
  const said: string[] = []
  const isActive = account.wanted === 'active'
  const shadow = sight.shadowOf(account)
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
    if (sight.isMember(account, group) !== isIn) said.push(`the membership in ${group} differs`)
  }
  return said
}

function phpDifferences(machine: Machine, account: HostAccount, sight: Sight): Difference[] {
  const { uid, wanted } = account
  const link = machine.path(startLinkOf(uid))
  const isStarted = fs.lstatSync(link, { throwIfNoEntry: false }) !== undefined
  if (wanted !== 'active') return isStarted ? [{ sentence: 'PHP is to start' }] : []
  const file = fileDifference(machine, configurationOf(uid), renderPool(account))
  if (!isStarted) return [...file, { sentence: 'PHP is not to start' }]
  if (!sight.runsPhp(uid)) return [...file, { sentence: 'PHP does not run' }]
  const isUnread = fs.existsSync(machine.path(unreadOf(uid)))
  return isUnread ? [...file, { sentence: 'PHP has not read its file' }] : file
}
