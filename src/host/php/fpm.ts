import * as fs from 'node:fs'
import type { HostAccount } from '../../model/host-account.ts'
import { agrees, ensureFile, removeFile } from '../tools/files.ts'
import type { Machine } from '../machine.ts'
import { testPool } from './pool-test.ts'
import { configurationOf, socketOf, unreadOf } from './unit.ts'
import { homeOf } from '../accounts/users.ts'

// PHP of one account: a master of its own, as the account itself, under the account's limits. So a
// broken one takes no neighbour along, and its memory and CPU count against the account. Its
// socket lies in a folder of root's and is for nginx alone.

/** Has the account's PHP answer, by its present limits. */
export async function ensurePhp(machine: Machine, account: HostAccount): Promise<void> {
  const { uid } = account
  const text = renderPool(account)
  const [file, unread] = [machine.path(configurationOf(uid)), machine.path(unreadOf(uid))]
  // A reload has short requests wait for long ones: only where there is something new to read.
  if (!agrees(file, text, 0o644)) fs.writeFileSync(unread, '')
  await ensureFile(file, text, 0o644)
  await testPool(machine, account, text)
  await machine.services.startPhp(uid)
  if (!fs.existsSync(unread)) return
  await machine.services.rereadPhp(uid)
  fs.rmSync(unread, { force: true })
}

/** Stops the account's PHP; nothing starts it again. */
export const stopPhp = (machine: Machine, { uid }: HostAccount): Promise<void> =>
  machine.services.stopPhp(uid)

export async function removePhp(machine: Machine, account: HostAccount): Promise<void> {
  await stopPhp(machine, account)
  removeFile(machine.path(configurationOf(account.uid)))
  fs.rmSync(machine.path(unreadOf(account.uid)), { force: true })
}

/** The configuration of one account's master, which has one pool. */
export const renderPool = ({ username, uid, limits }: HostAccount): string => {
  const home = homeOf(username)
  return `; PHP of user ${uid}. Written by the panel, which overwrites changes.
[global]
error_log = syslog
daemonize = no
; A reload lets requests end that are under way.
process_control_timeout = 10s

[${uid}]
listen = ${socketOf(uid)}
pm = ondemand
pm.max_children = ${childrenFor(limits.memoryMb)}
pm.process_idle_timeout = 30s
pm.max_requests = 1000
request_terminate_timeout = 300s
security.limit_extensions = .php
php_admin_value[open_basedir] = ${home}/sites:${home}/files:${home}/tmp
php_admin_value[upload_tmp_dir] = ${home}/tmp
php_admin_value[session.save_path] = ${home}/tmp
php_admin_value[sys_temp_dir] = ${home}/tmp
`
}

// A PHP request of a common shop or blog takes about 64 MB.
const childrenFor = (memoryMb: number): number => Math.min(Math.max(2, memoryMb >> 6), 50)
