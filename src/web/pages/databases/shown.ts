import { list, listSizes } from '../../../model/databases.ts'
import type { PageRequest } from '../../page.ts'

/** The databases of an account that the caller sees, with what each takes of the disk. */
export async function shownDatabases(
  { pool, caller }: Pick<PageRequest, 'pool' | 'caller'>,
  username: string,
) {
  const [databases, sizes] = await Promise.all([
    list(pool, caller, username),
    listSizes(pool, caller, username),
  ])
  return databases.map(one => ({
    ...one,
    ...sizes.find(({ database }) => database === one.database),
  }))
}
