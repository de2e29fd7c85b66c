import { requireRole } from '../../../model/signing-in/callers.ts'
import { isForeign, noDump } from '../../../model/databases/dumps.ts'
import * as transfers from '../../../model/databases/transfers.ts'
import type { Pool } from '../../../db.ts'
import type { ShownOperation } from '../../../model/operations/shown-operations.ts'
import { form } from '../../form.ts'
import { customers, type Page } from '../../page.ts'
import type { Flash } from '../../flash.ts'
import { discardFile, receiveFile } from '../../uploads.ts'
import { ownAccount } from '../customer/own.ts'
import { t } from '../../texts/texts.ts'
import { base, ownDatabase, pathOf } from './own.ts'

// A dump that a customer sends, stored for the worker, which imports it as the command does.

const asked = form({
  path: `${base}/:database/import`,
  roles: customers,
  title: ({ database }) => t('databases.importIntoDatabase', { database }),
  parent: ({ database }) => pathOf(database),
  fields: {},
  async load(given) {
    requireRole(given.caller, 'database/import')
    const { database } = given.params
    const [record] = await Promise.all([ownAccount(given), ownDatabase(given, database)])
    const limitMb = record.package.diskMb
    return {
      limitMb,
      words: [t('databases.dumpSqlPlainPacked', { limitMb }), t('databases.tablesReplacedIfDump')],
    }
  },
  submit: 'databases.import',
  template: 'pages/databases/import',
  // The file is read once the form is known to be new, and would be taken.
  async check(given) {
    requireRole(given.caller, 'database/import')
    const [record] = await Promise.all([
      ownAccount(given),
      transfers.requireImport(given.pool, given.caller.accountId ?? '0', given.params.database),
    ])
    const limitMb = record.package.diskMb
    const folder = given.wiring.uploadsDir
    given.body.set(uploaded, await receiveFile(given.sent, { folder, limitMb, refuse }))
  },
  write: transfers.importDump,
  toDesired: ({ session, params, body }) => ({
    ...{ username: session.name, database: params.database },
    id: body.get(uploaded) ?? '',
  }),
  flash: ({ database }, answer) => flashOf(database, answer['refused']),
})

const refuse = (start: Buffer) => (isForeign(start) ? noDump() : undefined)

// Never what the form itself says.
const uploaded = 'uploaded'

/** The form, whose file goes where nothing has come of it. */
export const importDump: Page = {
  ...asked,
  takesFile: true,
  async post(request) {
    request.body.delete(uploaded)
    let isTaken = false
    try {
      const reply = await asked.post!(request)
      isTaken = reply.status === 303
      return reply
    } finally {
      const id = request.body.get(uploaded)
      if (!isTaken && id !== null) await discardFile(request.wiring.uploadsDir, id)
    }
  },
}

/** Returns the message after an import that has taken long; undefined for any other job. */
export async function flashOfImport(pool: Pool, { id, name }: ShownOperation) {
  if (name !== transfers.importDump.name) return undefined
  const answer = await transfers.findImported(pool, id)
  return answer && flashOf(answer.database, answer.refused)
}

// The refused part of the dump is unknown: the client continues after each statement.
export function flashOf(database: string, refused: unknown): string | Flash {
  const all = Array.isArray(refused) ? refused.map(String) : []
  if (all.length === 0) return t('databases.dumpWasImportedInto', { database })
  const given = { database, refused: all.join('; ') }
  return { tone: 'bad', sentence: t('databases.importIntoDatabaseFailed', given) }
}
