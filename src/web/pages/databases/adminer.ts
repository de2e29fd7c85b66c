import { closeInAdminer, cookieOf, openInAdminer } from '../../../model/databases/open-databases.ts'
import { requireRole } from '../../../model/signing-in/callers.ts'
import { ticketAddress } from '../../adminer.ts'
import { form } from '../../form.ts'
import { customers, draw, type PageRequest } from '../../page.ts'
import { t } from '../../texts/texts.ts'
import { base, ownDatabase, pathOf } from './own.ts'

// A database in Adminer, by a ticket in place of a password.

const path = `${base}/:database/adminer` as const
const toDatabase = ({ database }: { database: string }) => pathOf(database)

// It follows from the form, like a password that one makes (own.ts): nothing has to keep it.
const ticketOf = ({ keys, key }: Pick<PageRequest, 'keys'> & { key: string }): string =>
  keys.fingerprint('panel: a ticket to Adminer\n', key).toString('base64url')

export const openAdminer = form({
  path,
  roles: customers,
  title: ({ database }) => t('databases.openDatabaseAdminer', { database }),
  parent: toDatabase,
  fields: {},
  async load(asked) {
    requireRole(asked.caller, 'database/open')
    await ownDatabase(asked, asked.params.database)
    return {
      words: [t('databases.adminerShowsEditsTables')],
    }
  },
  submit: 'databases.openInAdminer',
  write: openInAdminer,
  toDesired: given => ({
    ...{ username: given.session.name, database: given.params.database },
    ticket: ticketOf(given),
    cookie: cookieOf(ticketOf(given), given.wiring.serverKey()),
  }),
  shows: given =>
    draw(given, 200, 'pages/databases/adminer', {
      database: given.params.database,
      parent: pathOf(given.params.database),
      job: given.job,
      address: ticketAddress(ticketOf(given), given.wiring.baseUrl),
    }),
})

export const closeAdminer = form({
  path: `${path}/close`,
  roles: customers,
  title: ({ database }) => t('databases.closeDatabaseAdminer', { database }),
  parent: toDatabase,
  fields: {},
  async load(asked) {
    requireRole(asked.caller, 'database/close')
    await ownDatabase(asked, asked.params.database)
    return { words: [t('databases.runningStatementsStoppedCompleted')] }
  },
  submit: 'databases.close',
  write: closeInAdminer,
  toDesired: ({ session, params }) => ({ username: session.name, ...params }),
  flash: ({ database }) => t('databases.databaseWasClosedAdminer', { database }),
})
