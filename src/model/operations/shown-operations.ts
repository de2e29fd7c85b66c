import { z } from 'zod'
import { all, type Db } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { scopeOf, type Caller } from '../signing-in/callers.ts'
import { type JobRow, toJob } from '../jobs/jobs.ts'
import type { OperationName } from './operation-names.ts'

// Operations for the callers that requested them, or whose accounts they concern.

export type ShownOperation = {
  id: string
  /** Null if it was refused before it was parsed. */
  name: OperationName | null
  state: 'blocked' | 'queued' | 'running' | 'undoing' | 'done' | 'refused' | 'failed' | 'cancelled'
  /** The account's name, which may belong to another by now. */
  username: string | null
  asked_by: string
  error: string | null
  created_at: Date
  started_at: Date | null
  finished_at: Date | null
}

/** Lists the latest operations that the caller may see, optionally of one account. */
export const listShown = (
  db: Db,
  caller: Caller,
  { of = null, limit }: { of?: string | null; limit: number },
) => shown(db, caller, null, of, limit)

/** @throws {PanelError} `job_unknown` */
export async function getShown(db: Db, caller: Caller, id: string): Promise<ShownOperation> {
  const isId = z.uuid().safeParse(id).success
  const [found] = isId ? await shown(db, caller, id, null, 1) : []
  if (found === undefined) throw new PanelError('job_unknown', 'Unknown job')
  return found
}

async function shown(db: Db, caller: Caller, id: string | null, of: string | null, limit: number) {
  const { all: seesAll, seller, account } = scopeOf(caller)
  const rows = await all<JobRow>(db)`
    select * from panel.list_jobs(
      '{request}', p_id => ${id}, p_account_id => ${of}, p_limit => ${limit},
      p_caller => ${seesAll ? null : caller.id}, p_sees_seller => ${seller},
      p_sees_account => ${account})`
  return rows.map(row => {
    const { id, task, state, account, asked_by, error, ...times } = toJob(row)
    const { created_at, started_at, finished_at } = times
    const name = task === 'request' ? null : (task as OperationName)
    return {
      ...{ id, name, state, username: account, asked_by, error },
      ...{ created_at, started_at, finished_at },
    }
  })
}
