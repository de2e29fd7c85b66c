import * as databases from '../../../model/databases/databases.ts'
import { text } from '../../fields.ts'
import { t } from '../../texts/texts.ts'

/** The words about the number of databases. */
export const things = {
  more: (left: number) => t('databases.roomMore', { left }),
  so: (max: number) => t('databases.roomNumber', { max }),
  none: 'databases.roomNone',
} as const

// The texts of forms about databases, for operators and customers.

/** Returns the whole name of a database or user. */
export const nameOf = (username: string, suffix: string): string => `${username}_${suffix}`

/** The fields of a new database. */
export const databaseFields = {
  suffix: text('databases.suffixLabel', databases.suffix, {
    example: 'shop',
    hint: 'databases.databaseNameHint',
    // A user of the same name is made with it.
    inputs: ['user'],
  }),
}

/** Returns how the chosen name becomes the database's name. */
export const roomWords = (username: string): string[] => [
  t('databases.yourUsernameGoesFront', { name: nameOf(username, 'shop') }),
  t('databases.databaseUserSameName'),
]

/**
 * Returns what is removed together with a database.
 *
 * @throws {PanelError} `database_unknown` where it is none of these
 */
export function lossWords(all: readonly databases.Database[], name: string): string[] {
  const found = all.find(({ database }) => database === name)
  if (found === undefined) throw databases.unknown(name)
  const stay = new Set(
    all.filter(one => one !== found).flatMap(one => one.users.map(({ user }) => user)),
  )
  const gone = found.users.map(({ user }) => user).filter(user => !stay.has(user))
  return [
    t('databases.allDataDeletedPermanently'),
    ...(gone.length === 0
      ? []
      : [t('databases.usersWithoutAnotherDatabase', { gone: gone.join(', ') })]),
  ]
}
