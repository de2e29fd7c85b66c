import { z } from 'zod'
import { PanelError } from '../../../errors.ts'
import * as backups from '../../../model/account-backups/account-backups.ts'
import { type Preview, previewFor } from '../../../model/account-backups/contents.ts'
import { NewRestore, itemsOf, restore } from '../../../model/account-backups/restores.ts'
import { word } from '../../api-call.ts'
import { checkbox } from '../../fields.ts'
import { form } from '../../form.ts'
import { lockedNotice } from '../accounts/shown.ts'
import { t } from '../../texts/texts.ts'
import { accountOf, addressIn, namesOf, type BackupSection } from './section.ts'
import { sizeOf } from './words.ts'

const kinds = {
  path: { toParts: (name: string) => ({ paths: [name] }), option: '--path' },
  database: { toParts: (name: string) => ({ databases: [name] }), option: '--database' },
  mailbox: { toParts: (name: string) => ({ mailboxes: [name] }), option: '--mailbox' },
} as const

/**
 * Returns the parts of a restore that its address names.
 *
 * @throws {PanelError} `not_found` if the address names none
 */
function partsIn(params: object): z.infer<typeof NewRestore> {
  const { kind = '', name = '' } = namesOf(params)
  if (kind === 'everything') return { everything: true }
  const known = Object.hasOwn(kinds, kind) ? kinds[kind as keyof typeof kinds] : undefined
  const parsed = NewRestore.safeParse(known?.toParts(name))
  if (!parsed.success) throw new PanelError('not_found', t('backups.noSuchPart'))
  return parsed.data
}

const maxShown = 10

/** Returns what a restore will do, in sentences. */
function wordsOf({ items, files, bytes, fits, disk_free_bytes: free }: Preview): string[] {
  const shown = items.slice(0, maxShown).map(({ effect, kind, name }) => {
    if (effect === 'adds') return t('backups.adds', { name })
    return t(effect === 'replaces' ? 'backups.replaces' : 'backups.creates', { kind, name })
  })
  return [
    ...shown,
    ...(items.length > maxShown ? [t('backups.andMore', { n: items.length - maxShown })] : []),
    ...(files > 0 ? [t('backups.sumOf', { files, size: sizeOf(bytes) })] : []),
    ...(fits ? [] : [t('backups.noRoom', { free: sizeOf(free) })]),
    t('backups.backedUpFirst'),
  ]
}

/** Backs up an account now, and restores parts of a backup. */
export const backupForms = (section: BackupSection) => {
  const { path, roles } = section
  const toList = (params: object) => addressIn(section, params)
  const usernameIn = (params: object) => namesOf(params)['username'] ?? 'USERNAME'
  const backupIn = (params: object) => namesOf(params)['backup'] ?? ''
  return {
    create: form({
      path: `${path}/new`,
      roles,
      title: () => t('backups.backUpNow'),
      parent: toList,
      fields: {},
      async load(asked) {
        const record = await accountOf(section, asked)
        if (!(await backups.hasTarget(asked.pool))) {
          const words = section.isOwn ? t('backups.noTargetForYou') : t('backups.noTarget')
          return { words: [words], isIdle: true }
        }
        return lockedNotice(asked.caller, record) ?? { words: [t('backups.backUpWords')] }
      },
      submit: 'backups.backUpNow',
      call: params => ({
        command: `panel account-backup create ${word(usernameIn(params))}`,
        ...{ method: 'POST', path: `/accounts/${usernameIn(params)}/backups` },
      }),
      write: backups.create,
      toDesired: given => ({ username: section.usernameOf(given) }),
      flash: () => t('backups.backupHasBegun'),
    }),
    restore: form({
      path: `${path}/:backup/restore/:kind/:name`,
      roles,
      title: params =>
        namesOf(params)['kind'] === 'everything'
          ? t('backups.restoreEverything')
          : t('backups.restoreName', { name: namesOf(params)['name'] ?? '' }),
      parent: params => addressIn(section, params, backupIn(params)),
      fields: {
        keeps_replaced: checkbox('backups.keepReplaced', z.boolean(), {
          hint: 'backups.keepReplacedHint',
        }),
      },
      async load(asked) {
        const record = await accountOf(section, asked)
        const items = itemsOf(partsIn(asked.params))
        const of = { username: record.username, backup: backupIn(asked.params), items }
        const preview = await previewFor(asked.pool, asked.caller, of)
        const notice = lockedNotice(asked.caller, record)
        return notice ?? { words: wordsOf(preview), values: { keeps_replaced: true } }
      },
      submit: 'backups.restore',
      isDanger: true,
      call: (params, { keeps_replaced }) => {
        const { kind = '', name = '' } = namesOf(params)
        const part = Object.hasOwn(kinds, kind)
          ? `${kinds[kind as keyof typeof kinds].option} ${word(name)}`
          : '--everything'
        const words = ['panel account-backup restore', word(usernameIn(params)), backupIn(params)]
        return {
          command: [...words, part].join(' '),
          ...{ method: 'POST', body: { ...partsIn(params), keeps_replaced } },
          path: `/accounts/${usernameIn(params)}/backups/${backupIn(params)}/restore`,
        }
      },
      write: restore,
      toDesired: given => ({
        ...{ username: section.usernameOf(given), backup: backupIn(given.params) },
        ...{ ...partsIn(given.params), keeps_replaced: given.values.keeps_replaced },
      }),
      then: ({ params }) => toList(params),
      flash: () => t('backups.restoreHasBegun'),
    }),
  }
}
