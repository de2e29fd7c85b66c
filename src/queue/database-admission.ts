import { databaseService } from '../model/databases/database-service.ts'
import { listLocked } from '../model/databases/databases.ts'
import type { Context } from './task.ts'
import { repeat, type RepeatedWork } from './repeated-work.ts'

// Customers wait for it whenever MariaDB starts; a check costs no process.
const admitMs = 500

/** Opens a MariaDB that has started to customers, once the users that may not log in are locked. */
export const startAdmission = ({ pool, host, watch }: Admission): Promise<RepeatedWork> =>
  repeat(
    'admission',
    async () => {
      const missed = await databaseService(host).letIn(() => listLocked(pool))
      if (missed !== undefined) await watch([missed])
    },
    admitMs,
  )

type Admission = Pick<Context, 'pool' | 'host' | 'watch'>
