import type { HostAccount } from '../../model/accounts/host-account.ts'
import { phpDefaults, type PhpSettings } from '../../model/sites/php-settings.ts'
import { homeOf } from '../accounts/users.ts'
import { sendmailPath } from '../mail/paths.ts'
import { socketOf, type PhpInstance } from './instances.ts'
import { sessionSeconds } from './limits.ts'
import { logOf } from './log.ts'

/**
 * Renders the configuration of one master, which has one pool: an account's own PHP, or that of a
 * website with these settings.
 */
export const renderPool = (
  { username, uid, limits }: HostAccount,
  instance: PhpInstance = uid,
  settings: PhpSettings = {},
): string => {
  const home = homeOf(username)
  const { display_errors, timezone } = settings
  const requestSeconds = limits.phpExecutionSeconds
  const value = (name: keyof typeof phpDefaults) => settings[name] ?? phpDefaults[name]
  const optional = [
    ...(display_errors === undefined
      ? []
      : [`php_flag[display_errors] = ${display_errors ? 'on' : 'off'}\n`]),
    ...(timezone === undefined ? [] : [`php_value[date.timezone] = ${timezone}\n`]),
  ].join('')
  return `; PHP of user ${uid}. Written by the panel, which overwrites changes.
[global]
error_log = ${logOf(username)}
log_level = warning
daemonize = no
; A reload lets requests in progress finish.
process_control_timeout = 10s

[${instance}]
listen = ${socketOf(instance)}
pm = ondemand
pm.max_children = ${childrenFor(limits.memoryMb)}
pm.process_idle_timeout = 30s
pm.max_requests = 1000
request_terminate_timeout = ${requestSeconds}s
security.limit_extensions = .php
catch_workers_output = yes
decorate_workers_output = no
; A script may set another file.
php_value[error_log] = ${logOf(username)}
php_admin_value[open_basedir] = ${home}/sites:${home}/files:${home}/tmp
php_admin_value[upload_tmp_dir] = ${home}/tmp
php_admin_value[session.save_path] = ${home}/tmp
php_admin_value[sys_temp_dir] = ${home}/tmp
php_admin_value[sendmail_path] = ${sendmailPath}
; Usual values; scripts and .user.ini may change them, within the limits of the account.
php_value[memory_limit] = ${Math.min(value('memory_limit_mb'), limits.memoryMb)}M
php_value[upload_max_filesize] = ${value('upload_max_mb')}M
php_value[post_max_size] = ${value('post_max_mb')}M
php_value[max_execution_time] = ${Math.min(value('max_execution_seconds'), requestSeconds)}
php_value[max_input_vars] = ${value('max_input_vars')}
php_value[session.gc_maxlifetime] = ${sessionSeconds}
${optional}`
}

/** Returns the number of PHP processes: a request of a common shop or blog takes about 64 MB. */
export const childrenFor = (memoryMb: number): number => Math.min(Math.max(2, memoryMb >> 6), 50)
