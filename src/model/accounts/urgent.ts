import { type Db, maybeOne } from '../../db.ts'
import { urgent } from '../operations/operation-names.ts'

/** Returns why the operation in progress must end, in words, if an urgent one waits in its lane. */
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
