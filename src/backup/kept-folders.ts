import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../config.ts'
import type { Machine } from '../host/contract.ts'
import type { KeptFolder } from '../host/kept.ts'
import { resources } from '../host/resources.ts'
import type { Description } from './manifest.ts'

// Data of the machine that cannot be rebuilt from the rows. Users and the configuration of nginx,
// PHP and sshd can: the worker makes them as for any other account.

type Account = Description['accounts'][number]

/** Returns the folders of this machine, whether they exist or not. */
export function keptFoldersOf(
  machine: Machine,
  { hooksDir }: Pick<Config, 'hooksDir'>,
  accounts: readonly Account[],
): KeptFolder[] {
  const kept = resources.flatMap(({ keeps }) => keeps?.(accounts) ?? [])
  return [
    { name: 'hooks', folder: hooksDir, entries: 'all' },
    ...kept.map(location => ({ ...location, folder: machine.path(location.folder) })),
  ]
}

/** The name of a folder's stream in a backup. */
export const streamOfFolder = ({ name }: KeptFolder): string => `${name}.tar`

/** Returns the entries of a folder that exist; a dot means the whole folder. */
export function entriesOf({ folder, entries }: KeptFolder): string[] {
  if (!existsSync(folder)) return []
  if (entries === 'all') return ['.']
  const found = new Set(readdirSync(folder))
  return entries.filter(name => found.has(name))
}

/** A small file that is kept whole. */
export type KeptFile = { name: string; path: string; mode: number }

/** Returns the small files of this panel, whether they exist or not. */
export function filesOf(
  config: Pick<Config, 'keyFile' | 'license' | 'stateDir'>,
  settingsFile: string | null,
): KeptFile[] {
  return [
    { name: 'files/key', path: config.keyFile, mode: 0o600 },
    { name: 'files/license', path: config.license.file, mode: 0o644 },
    // Only on a server that signs its own licenses.
    {
      name: 'files/vendor.pem',
      path: join(dirname(config.license.file), 'vendor.pem'),
      mode: 0o600,
    },
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
