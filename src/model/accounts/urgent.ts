import { type Db, maybeOne } from '../../db.ts'
import { urgent } from '../operations/operation-names.ts'

/**
 * Why an operation has to end that is in progress, in words: what waits in its lane may not wait.
 */
export async function findUrgent(db: Db, id: string): Promise<string | undefined> {
  const row = await maybeOne<{ name: string }>(db)`
    select u.name
    from panel.operations o
    join panel.operations u on u.lane = o.lane and u.state = 'blocked'
    where o.id = ${id} and u.name = any (${Object.keys(urgent)})
    order by u.arrival
    limit 1`
  return row && urgent[row.name]
}
