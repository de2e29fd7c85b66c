import { z } from 'zod'
import * as backups from '../../../model/account-backups/account-backups.ts'
import * as contents from '../../../model/account-backups/contents.ts'
import * as restores from '../../../model/account-backups/restores.ts'
import { PanelError } from '../../../errors.ts'
import { withQuery } from '../../addresses.ts'
import { page } from '../../page.ts'
import { t } from '../../texts/texts.ts'
import { accountOf, addressIn, namesOf, type BackupSection } from './section.ts'
import { backupState, isOver, partsOf, restoreState, sizeOf } from './words.ts'

const shownBackups = 100
const shownRestores = 10
const lateMs = { none: Infinity, daily: 36 * 3_600_000, hourly: 3 * 3_600_000 } as const

const FolderAsked = z.object({ path: z.string().optional(), after: z.string().optional() })

/** Defines the list of an account's backups, and the page of one with its files. */
export const backupViews = (section: BackupSection) => ({
  list: page({
    path: section.path,
    roles: section.roles,
    ...(section.navigation && { navigation: section.navigation }),
    async load(asked) {
      const record = await accountOf(section, asked)
      const { pool, caller } = asked
      const [head, all, restored, hasTarget] = await Promise.all([
        section.headOf(asked),
        backups.listFor(pool, caller, record.username),
        restores.listFor(pool, caller, record.username),
        backups.hasTarget(pool),
      ])
      const { backups: schedule, keepDaily, keepWeekly, keepMonthly } = record.package
      const last = all.find(({ state }) => state === 'done')?.finished_at ?? null
      const since = new Date(last ?? record.createdAt)
      const isLate =
        hasTarget && since.getTime() < Date.now() - lateMs[schedule as keyof typeof lateMs]
      return {
        ...{ record, head, hasTarget, isOwn: section.isOwn },
        lateSince: isLate ? since.toISOString() : null,
        schedule: { how: schedule, daily: keepDaily, weekly: keepWeekly, monthly: keepMonthly },
        backups: all.slice(0, shownBackups).map(one => ({
          ...{ ...one, words: backupState(one), size: sizeOf(one.bytes_read) },
          added: sizeOf(one.bytes_added),
        })),
        restores: restored
          .slice(0, shownRestores)
          .map(one => ({ ...one, words: restoreState(one), parts: partsOf(one) })),
        inProgress: [...all, ...restored].filter(one => !isOver(one)).length,
        base: addressIn(section, asked.params),
      }
    },
    template: 'pages/account-backups/list',
  }),
  backup: page({
    path: `${section.path}/:backup`,
    roles: section.roles,
    query: FolderAsked,
    async load(asked) {
      const { pool, caller, query } = asked
      const username = section.usernameOf(asked)
      const id = namesOf(asked.params)['backup'] ?? ''
      const found = await backups.findFor(pool, caller, username, id)
      const { path = '', after } = query
      const base = addressIn(section, asked.params)
      const own = addressIn(section, asked.params, id)
      const toFolder = (folder: string, from?: string) =>
        withQuery(own, { path: folder, after: from })
      const toRestore = (kind: string, name: string) =>
        addressIn(section, asked.params, id, 'restore', kind, name)
      const listed = await list()
      const parts = path.split('/').filter(Boolean)
      return {
        ...{ found, words: backupState(found), base, path, listed, toRestore },
        ...{ size: sizeOf(found.bytes_read), added: sizeOf(found.bytes_added), sizeOf },
        crumbs: parts.map((name, index) => ({
          name,
          address: toFolder(parts.slice(0, index + 1).join('/')),
        })),
        top: own,
        folderOf: (name: string) => toFolder([...parts, name].join('/')),
        pathOf: (name: string) => [...parts, name].join('/'),
        next: listed?.folder.next == null ? null : toFolder(path, listed.folder.next),
      }

      async function list() {
        if (found.state !== 'done') return undefined
        const given = contents.FolderQuery.safeParse({ path, after, limit: '200' })
        if (!given.success) throw new PanelError('not_found', t('backups.noSuchFolder'))
        const of = { username, backup: id }
        try {
          const [folder, more] = await Promise.all([
            contents.folderFor(pool, caller, { ...of, ...given.data }),
            contents.contentsFor(pool, caller, of),
          ])
          return { folder, ...more }
        } catch (error) {
          if (error instanceof PanelError && error.code === 'backup_unlisted') return undefined
          throw error
        }
      }
    },
    template: 'pages/account-backups/backup',
  }),
})
