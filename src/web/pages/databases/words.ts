import * as databases from '../../../model/databases/databases.ts'
import { text } from '../../fields.ts'

// The texts of forms about databases, for operators and customers.

/** Returns the whole name of a database or user. */
export const nameOf = (username: string, suffix: string): string => `${username}_${suffix}`

/** The fields of a new database. */
export const databaseFields = {
  suffix: text('Name', databases.suffix, {
    example: 'shop',
    hint: 'Up to 16 lower-case letters and digits.',
    // A user of the same name is made with it.
    inputs: ['user'],
  }),
}

/** Returns how the chosen name becomes the database's name. */
export const roomWords = (username: string): string[] => [
  `Your username goes in front: shop becomes ${nameOf(username, 'shop')}.`,
  'A database user of the same name is created too. The password is shown once.',
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
    'All data in it is deleted permanently, and websites that use it stop working.',
    ...(gone.length === 0
      ? []
      : [`Users without another database are deleted too: ${gone.join(', ')}.`]),
  ]
}
