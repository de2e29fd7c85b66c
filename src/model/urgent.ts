import { type Db, maybe } from '../db.ts'
import { urgent } from './operation-names.ts'

/** Why an operation has to end that is under way, in words: what waits in its lane may not wait. */
export async function findUrgent(db: Db, id: string): Promise<string | undefined> {
  const row = await maybe<{ name: string }>(db)`
    select u.name
    from panel.operations o
    join panel.operations u on u.lane = o.lane and u.state = 'parked'
    where o.id = ${id} and u.name = any (${Object.keys(urgent)})
    order by u.arrival
    limit 1`
  return row && urgent[row.name]
}
