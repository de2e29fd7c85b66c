import { lstatSync } from 'node:fs'
import type { Machine } from '../contract.ts'
import { listNames } from '../tools/files.ts'
import { trash } from './trash.ts'
import { listNumbers } from './user-database.ts'

// The range of user numbers for accounts (sql/migrations/0005-accounts.sql).
const [lowest, highest] = [20_000, 2_000_000_000]
// Every machine has this user, and it owns nothing.
const nobodyId = 65_534

/**
 * Returns the highest number in the accounts' range that the machine knows, of a user, a group, or
 * a current or former home; 0 if there is none.
 */
export function highestNumber(machine: Machine): number {
  const named = listNumbers(machine.path)
  const put = listNames(machine.path(trash)).map(Number)
  const owners = listNames(machine.path('/home')).flatMap(name => {
    const found = lstatSync(machine.path(`/home/${name}`), { throwIfNoEntry: false })
    return found === undefined ? [] : [found.uid, found.gid]
  })
  const all = [...named, ...put, ...owners]
  const counted = all.filter(id => id >= lowest && id <= highest && id !== nobodyId)
  return counted.reduce((highest, id) => Math.max(highest, id), 0)
}
