import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { PanelError } from '../../../errors.ts'
import type { Reply } from '../../../http/reply.ts'
import { exportDump, findExported } from '../../../model/databases/transfers.ts'
import { form } from '../../form.ts'
import { page } from '../../page.ts'
import { headersOfPages } from '../../render.ts'
import { t } from '../../texts/texts.ts'
import { accountOf, addressOf, namesOf, type DatabaseSection } from './section.ts'

// A dump to save: the worker writes it to a file, and the API sends that.

/** The form that has a database exported, and the file that it offers for download. */
export const exportPages = (section: DatabaseSection) => ({
  exportDatabase: form({
    path: `${section.path}/export`,
    roles: section.roles,
    title: params => t('databases.exportDatabase', namesOf(params)),
    parent: section.parentOf,
    fields: {},
    async load(asked) {
      const { database } = namesOf(asked.params)
      const { id } = await accountOf(section, asked)
      const ready = await findExported(asked.pool, id, database)
      const address = `${addressOf(section, asked.params)}/export/download`
      return {
        words: [t('databases.exportExplained')],
        ready: ready && { ...ready, address, file: fileName(database) },
      }
    },
    submit: 'databases.export',
    template: 'pages/databases/export',
    write: exportDump,
    toDesired: asked => ({
      username: section.usernameOf(asked),
      database: namesOf(asked.params).database,
    }),
    then: ({ params }) => `${addressOf(section, params)}/export`,
    flash: params => t('databases.databaseWasExported', namesOf(params)),
  }),
  downloadExport: page({
    path: `${section.path}/export/download`,
    roles: section.roles,
    async load(asked): Promise<Reply> {
      const { database } = namesOf(asked.params)
      const { id } = await accountOf(section, asked)
      const ready = await findExported(asked.pool, id, database)
      if (ready === undefined) throw gone()
      const { O_RDONLY, O_NOFOLLOW } = constants
      const path = join(asked.wiring.exportsDir, ready.id)
      const file = await open(path, O_RDONLY | O_NOFOLLOW).catch(error => {
        throw gone(error)
      })
      return {
        status: 200,
        headers: {
          ...headersOfPages,
          'content-type': 'application/gzip',
          'content-disposition': `attachment; filename="${fileName(database)}"`,
        },
        body: Buffer.alloc(0),
        // The file may have been replaced by a newer one since.
        file: { stream: file.createReadStream(), bytes: (await file.stat()).size },
      }
    },
    template: 'pages/databases/export',
  }),
})

// A name that has passed its grammar: the database exists.
const fileName = (database: string): string => `${database}.sql.gz`

const gone = (cause?: unknown) =>
  new PanelError('not_found', t('databases.exportNoLongerThere'), { cause })
