import * as fs from 'node:fs'
import type { HostAccount } from '../../model/accounts/host-account.ts'
import { agrees, ensureFile, isThere, removeFile } from '../tools/files.ts'
import type { Drift, Machine, Resource } from '../contract.ts'
import { fileDrift } from '../tools/file-drift.ts'
import { phpLimitSeconds, sessionSeconds } from './limits.ts'
import { ensureLog, isLogThere, logOf } from './log.ts'
import { testPool } from './pool-test.ts'
import { configurationOf, socketOf, startLinkOf, testedOf, unreadOf } from './unit.ts'
import { homeOf, unlessUnmanaged } from '../accounts/users.ts'

// PHP of one account: its own master, running as the account and under its limits. So a broken one
// does not affect others, and its memory and CPU count for the account. Its socket is in a folder
// of root's, for nginx only.

/** The account's PHP, with the account's current limits. */
export const php: Resource = {
  name: 'php',
  ensure: ensurePhp,
  // Neither a visitor nor a restart of the machine starts it again.
  suspend: ({ services }, { uid }) => services.stopPhp(uid),
  remove: unlessUnmanaged(async (machine, { uid }) => {
    await machine.services.stopPhp(uid)
    removeFile(machine.path(configurationOf(uid)))
    for (const path of [unreadOf(uid), testedOf(uid)])
      fs.rmSync(machine.path(path), { force: true })
  }),
  async drift(machine) {
    const running = await machine.services.runningPhp()
    return account => phpDrift(machine, account, running.has(account.uid))
  },
}

async function ensurePhp(machine: Machine, account: HostAccount): Promise<void> {
  const { uid } = account
  const text = renderPool(account)
  const [file, unread] = [machine.path(configurationOf(uid)), machine.path(unreadOf(uid))]
  // Only if the file has changed: during a reload short requests wait for long ones.
  const isChanged = !agrees(file, text, 0o644)
  if (isChanged) fs.writeFileSync(unread, '')
  ensureLog(machine, account)
  if (isChanged) await ensureFile(file, text, 0o644)
  await testPool(machine, account, text)
  await machine.services.startPhp(uid)
  if (!fs.existsSync(unread)) return
  await machine.services.rereadPhp(uid)
  fs.rmSync(unread, { force: true })
}

function phpDrift(machine: Machine, account: HostAccount, isRunning: boolean): (Drift | string)[] {
  const { uid, desired } = account
  const isToStart = isThere(machine.path(startLinkOf(uid)))
  if (desired !== 'active') return isToStart ? ['PHP starts with the server'] : []
  const log = isLogThere(machine, account) ? [] : ['PHP cannot open its log']
  const file = [...fileDrift(machine, configurationOf(uid), renderPool(account)), ...log]
  if (!isToStart) return [...file, 'PHP does not start with the server']
  if (!isRunning) return [...file, 'PHP is not running']
  const isUnread = fs.existsSync(machine.path(unreadOf(uid)))
  return isUnread ? [...file, 'PHP has not reloaded its configuration'] : file
}

/** Renders the configuration of one account's master, which has one pool. */
export const renderPool = ({ username, uid, limits }: HostAccount): string => {
  const home = homeOf(username)
  return `; PHP of user ${uid}. Written by the panel, which overwrites changes.
[global]
error_log = ${logOf(username)}
log_level = warning
daemonize = no
; A reload lets requests in progress finish.
process_control_timeout = 10s

[${uid}]
listen = ${socketOf(uid)}
pm = ondemand
pm.max_children = ${childrenFor(limits.memoryMb)}
pm.process_idle_timeout = 30s
pm.max_requests = 1000
request_terminate_timeout = ${phpLimitSeconds}s
security.limit_extensions = .php
catch_workers_output = yes
decorate_workers_output = no
; A script may set another file.
php_value[error_log] = ${logOf(username)}
php_admin_value[open_basedir] = ${home}/sites:${home}/files:${home}/tmp
php_admin_value[upload_tmp_dir] = ${home}/tmp
php_admin_value[session.save_path] = ${home}/tmp
php_admin_value[sys_temp_dir] = ${home}/tmp
; Usual values; scripts and .user.ini may change them, within the limits of the account.
php_value[memory_limit] = ${Math.min(256, limits.memoryMb)}M
php_value[upload_max_filesize] = 128M
php_value[post_max_size] = 128M
php_value[max_execution_time] = ${phpLimitSeconds}
php_value[max_input_vars] = 5000
php_value[session.gc_maxlifetime] = ${sessionSeconds}
`
}

// A PHP request of a common shop or blog takes about 64 MB.
const childrenFor = (memoryMb: number): number => Math.min(Math.max(2, memoryMb >> 6), 50)
