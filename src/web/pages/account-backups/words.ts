import type { AccountBackup } from '../../../model/account-backups/account-backups.ts'
import type { AccountRestore } from '../../../model/account-backups/restores.ts'
import { t } from '../../texts/texts.ts'
import { size, type Tone } from '../../words.ts'

// States and sizes of backups and restores as pages show them.

type Shown = { label: string; tone: Tone }

const backupStates = {
  preparing: () => ({ label: t('backups.preparing'), tone: 'busy' }),
  ready: () => ({ label: t('backups.ready'), tone: 'busy' }),
  running: () => ({ label: t('backups.storing'), tone: 'busy' }),
  done: () => ({ label: t('backups.done'), tone: 'good' }),
  failed: () => ({ label: t('backups.failed'), tone: 'bad' }),
} satisfies Record<AccountBackup['state'], () => Shown>

const restoreStates = {
  saving: () => ({ label: t('backups.saving'), tone: 'busy' }),
  reading: () => ({ label: t('backups.reading'), tone: 'busy' }),
  staged: () => ({ label: t('backups.moving'), tone: 'busy' }),
  done: () => ({ label: t('backups.done'), tone: 'good' }),
  failed: () => ({ label: t('backups.failed'), tone: 'bad' }),
} satisfies Record<AccountRestore['state'], () => Shown>

export const backupState = ({ state }: AccountBackup): Shown => backupStates[state]()
export const restoreState = ({ state }: AccountRestore): Shown => restoreStates[state]()

export const isOver = ({ state }: { state: string }): boolean => /^(done|failed)$/.test(state)

/** Returns bytes in the unit that fits; a dash for none. */
export const sizeOf = (bytes: number | null): string =>
  bytes === null ? '—' : size(bytes / 2 ** 20)

/** Returns the names of the parts that a restore brings back. */
export const partsOf = ({ items }: AccountRestore): string[] =>
  items.everything
    ? [t('backups.everything')]
    : [...items.sites, ...items.paths, ...items.databases, ...items.mailboxes]
