import { homeFile, importDump } from '../../../model/databases/transfers.ts'
import { list, unknown } from '../../../model/databases/databases.ts'
import { word } from '../../api-call.ts'
import { text } from '../../fields.ts'
import { form } from '../../form.ts'
import { t } from '../../texts/texts.ts'
import { flashOf } from './import.ts'
import { accountOf, namesOf, type DatabaseSection } from './section.ts'

/** The form that has a file in the account's home imported, as one that was uploaded by SFTP. */
export const importFile = (section: DatabaseSection) =>
  form({
    path: `${section.path}/import-file`,
    roles: section.roles,
    title: params => t('databases.importIntoDatabase', namesOf(params)),
    parent: section.parentOf,
    fields: {
      file: text('databases.fileInHome', homeFile, {
        example: 'shop.sql.gz',
        hint: 'databases.fileInHomeHint',
      }),
    },
    async load(asked) {
      const { database } = namesOf(asked.params)
      const account = await accountOf(section, asked)
      const all = await list(asked.pool, asked.caller, account.username)
      if (!all.some(one => one.database === database)) throw unknown(database)
      const limitMb = account.package.diskMb
      return {
        words: [
          t('databases.dumpSqlPlainPacked', { limitMb }),
          t('databases.tablesReplacedIfDump'),
        ],
      }
    },
    submit: 'databases.import',
    ...(section.roles.includes('administrator') && {
      call: (params: object, values: { file?: unknown }) => {
        const { username = '', database } = namesOf(params)
        const names = [username, database, String(values.file ?? '')].map(word).join(' ')
        return { command: `panel database import ${names} --home` }
      },
    }),
    write: importDump,
    toDesired: asked => ({
      username: section.usernameOf(asked),
      database: namesOf(asked.params).database,
      file: asked.values.file,
    }),
    flash: (params, answer) => flashOf(namesOf(params).database, answer['refused']),
  })
