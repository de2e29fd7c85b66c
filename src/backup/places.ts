import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { keysFolder } from '../host/access/sftp.ts'
import { crontabsFolder } from '../host/access/cron.ts'
import { certificatesFolder } from '../host/web/served-certificate.ts'
import type { Machine } from '../host/machine.ts'
import type { Description } from './manifest.ts'

// What of the machine can't be made again from the rows. Users and the configuration of nginx, PHP
// and sshd can: the worker makes them as for any other account.

/** A folder that is kept: with all that is in it, or only these entries. */
export type Place = { name: string; folder: string; entries: 'all' | string[] }

type Account = Description['accounts'][number]

/** The folders of this machine, whether they exist or not. */
export function placesOf(
  machine: Machine,
  { hooksDir }: Pick<Config, 'hooksDir'>,
  accounts: readonly Account[],
): Place[] {
  const names = accounts.map(({ username }) => username)
  // Those of the suspended ones are put aside under their number.
  const crontabs = accounts.flatMap(({ username, uid }) => [username, `.panel-${uid}`])
  return [
    { name: 'hooks', folder: hooksDir, entries: 'all' },
    { name: 'certificates', folder: machine.path(certificatesFolder), entries: 'all' },
    { name: 'keys', folder: machine.path(keysFolder), entries: 'all' },
    { name: 'crontabs', folder: machine.path(crontabsFolder), entries: crontabs },
    { name: 'homes', folder: machine.path('/home'), entries: names },
  ]
}

/** Where the machine's files are: its own, or those of a sandbox. */
export const rootOf = ({ host, stateDir }: Pick<Config, 'host' | 'stateDir'>): string =>
  host === 'linux' ? '/' : join(stateDir, 'host')

/** The name of a place's stream in a backup. */
export const streamOfPlace = ({ name }: Place): string => `${name}.tar`

/** The entries of a place that exist; a dot stands for the whole folder. */
export function entriesOf({ folder, entries }: Place): string[] {
  if (!existsSync(folder)) return []
  if (entries === 'all') return ['.']
  const found = new Set(readdirSync(folder))
  return entries.filter(name => found.has(name))
}

/** A small file that is kept whole. */
export type KeptFile = { name: string; path: string; mode: number }

/** The small files of this panel, whether they exist or not. */
export function filesOf(
  config: Pick<Config, 'keyFile' | 'license' | 'stateDir'>,
  settingsFile: string | null,
): KeptFile[] {
  return [
    { name: 'files/key', path: config.keyFile, mode: 0o600 },
    { name: 'files/license', path: config.license.file, mode: 0o644 },
    // Only a panel run by `panel start` has it: its address and first token.
    {
      name: 'files/first-start.json',
      path: join(config.stateDir, 'first-start.json'),
      mode: 0o600,
    },
    ...(settingsFile === null ? [] : [{ name: settingsName, path: settingsFile, mode: 0o640 }]),
  ]
}

/** The settings of an installed panel. */
export const settingsName = 'files/panel.env'
