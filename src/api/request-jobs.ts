import type { Pool } from '../db.ts'
import type { Handler } from '../http/handle.ts'
import { json } from '../http/reply.ts'
import { unseal } from '../http/sealed.ts'
import * as requestJobs from '../model/request-jobs.ts'

/** GET /jobs/{id}: what became of a request; only the token that made it sees it. */
export const getJob =
  (pool: Pool): Handler =>
  async ({ caller, params, token }) =>
    json(
      200,
      await requestJobs.get(pool, caller.tokenId, params['id']!, body => unseal(body, token)),
    )
