import * as fs from 'node:fs'
import type { HostAccount } from '../model/host-account.ts'
import { agrees, readFile } from './files.ts'
import type { Machine } from './machine.ts'
import { live } from './nginx-shared.ts'
import { vhostsOf } from './nginx.ts'
import { renderPool } from './php-fpm.ts'
import { configurationOf, startLinkOf } from './php-unit.ts'
import { homeOf, isStrangers } from './users.ts'

/** A file that is not as it should be, or a sentence about something that is no file. */
export type Difference =
  { path: string; expected: string; found: string | undefined } | { sentence: string }

/** What `apply` would change of the account's files and user. Changes nothing. */
export function differences(machine: Machine, account: HostAccount): Difference[] {
  return [...userDifferences(machine, account), ...fileDifferences(machine, account)]
}

function userDifferences({ users, path }: Machine, account: HostAccount): Difference[] {
  const { username, uid } = account
  if (isStrangers(users, account)) {
    return [{ sentence: `the number ${uid} is ${users.nameOf(uid)}'s` }]
  }
  const said: Difference[] = []
  const number = users.find(username)
  if (number === undefined) said.push({ sentence: 'the user is missing' })
  else if (number !== uid) said.push({ sentence: `the user has the number ${number}` })
  for (const folder of ['', '/sites', '/files', '/tmp', '/logs']) {
    const place = homeOf(username) + folder
    const found = fs.lstatSync(path(place), { throwIfNoEntry: false })
    if (found?.isDirectory() !== true) said.push({ sentence: `there is no folder ${place}` })
  }
  return said
}

function fileDifferences(machine: Machine, account: HostAccount): Difference[] {
  const { uid, wanted } = account
  const isActive = wanted === 'active'
  const texts = [...vhostsOf(machine, account)].map(([id, text]): [string, string] => [
    `${live}/${id}.conf`,
    text,
  ])
  if (isActive) texts.push([configurationOf(uid), renderPool(account)])
  const files = texts
    .filter(([path, text]) => !agrees(machine.path(path), text, 0o644))
    .map(([path, expected]) => ({ path, expected, found: readFile(machine.path(path)) }))
  const isStarted = fs.lstatSync(machine.path(startLinkOf(uid)), { throwIfNoEntry: false })
  if ((isStarted !== undefined) === isActive) return files
  return [...files, { sentence: isActive ? 'PHP is not to start' : 'PHP is to start' }]
}
