import { z } from 'zod'
import { parse } from '../http/request.ts'
import * as contents from '../model/account-backups/contents.ts'
import { Contents } from '../model/account-backups/file-list.ts'
import { itemsOf, NewRestore } from '../model/account-backups/restores.ts'
import { reading, type Endpoint } from './endpoint.ts'

const id = z.string().regex(/^[1-9][0-9]{0,18}$/)
// As for restores.
const permissions = ['Provisioning and hosting'] as const
const needed = ' The token must have the permission `Provisioning and hosting`.'
const common = {
  ...({ method: 'GET', tag: 'Backups', permissions } as const),
  parameters: { backup: { schema: id, example: '7' } },
  refusals: ['not_found' as const],
}

const listed: Contents = {
  databases: [{ database: 'alice_shop', bytes: 48_120_332 }],
  mailboxes: [{ mailbox: 'info@alice.example', files: 1_210, bytes: 84_600_112 }],
}

const folder: contents.FolderListing = {
  path: 'sites/alice.example',
  entries: [
    {
      ...{ name: 'public', type: 'folder', files: 1_804, bytes: 84_120_332 },
      modified_at: '2026-11-27T01:58:10.000Z',
    },
  ],
  next: null,
}

const preview: contents.Preview = {
  items: [
    {
      ...{ kind: 'path', name: 'sites/alice.example', files: 1_804, bytes: 84_120_332 },
      effect: 'replaces',
    },
    { kind: 'database', name: 'alice_shop', files: null, bytes: 48_120_332, effect: 'creates' },
  ],
  ...{ files: 1_804, bytes: 84_120_332, disk_free_bytes: 4_294_967_296, fits: true },
}

const names = (of: string) => z.string().optional().describe(`${of}, separated by commas`)

const PreviewQuery = z.object({
  everything: z.enum(['true', 'false']).optional().describe('Whether to restore all of it'),
  sites: names('Websites'),
  paths: z
    .string()
    .optional()
    .describe('Files and folders, as paths in the home, separated by line breaks'),
  databases: names('Databases'),
  mailboxes: names('Mailboxes'),
})

const split = (text: string | undefined, by: string): string[] =>
  text === undefined || text === '' ? [] : text.split(by)

/** The endpoints that show what a backup has, and what a restore of parts of it would do. */
export const backupContentEndpoints: Endpoint[] = [
  reading({
    ...common,
    id: 'getBackupContents',
    path: '/accounts/{username}/backups/{backup}/contents',
    summary: 'List the databases and mailboxes of a backup',
    description: `Files are listed by folder.${needed}`,
    answers: {
      200: {
        ...{ description: 'The databases and mailboxes', name: 'BackupContents' },
        ...{ schema: Contents, example: listed },
      },
    },
    read:
      ({ pool }) =>
      ({ caller, params }) =>
        contents.contentsFor(pool, caller, params),
  }),
  reading({
    ...common,
    id: 'listBackupFiles',
    path: '/accounts/{username}/backups/{backup}/files',
    summary: 'List a folder of a backup',
    description: `By name, with the sum of each folder.${needed}`,
    query: contents.FolderQuery,
    answers: {
      200: {
        ...{ description: 'The content of the folder', name: 'BackupFolder' },
        ...{ schema: contents.FolderListing, example: folder },
      },
    },
    read:
      ({ pool }) =>
      ({ caller, params, query }) =>
        contents.folderFor(pool, caller, { ...params, ...query }),
  }),
  reading({
    ...common,
    id: 'previewRestore',
    path: '/accounts/{username}/backups/{backup}/preview',
    summary: 'Preview a restore',
    description: `Changes nothing. The parts are those of a restore.${needed}`,
    query: PreviewQuery,
    answers: {
      200: {
        ...{ description: 'The effect of the restore', name: 'RestorePreview' },
        ...{ schema: contents.Preview, example: preview },
      },
    },
    read:
      ({ pool }) =>
      ({ caller, params, query }) => {
        const sent = {
          everything: query.everything === 'true',
          ...{ sites: split(query.sites, ','), paths: split(query.paths, '\n') },
          ...{ databases: split(query.databases, ','), mailboxes: split(query.mailboxes, ',') },
        }
        const items = itemsOf(parse(NewRestore, sent))
        return contents.previewFor(pool, caller, { ...params, items })
      },
  }),
]
