import { jobs } from '../../src/queue/job-list.ts'
import { retryOrExit } from '../../src/queue/retry-or-exit.ts'
import type { Task } from '../../src/queue/task.ts'
import * as packages from '../../src/model/sellers/packages.ts'

// Accounts at a time: a transaction of some 10 ms, so that no lane is blocked for long.
const pageSize = 100

// Goes through the accounts of a changed package in pages. The package's row records the last page,
// so a second run continues there.
const applyPackage: Task = async (payload, _helpers, context) => {
  const { packageId } = jobs['package/apply'].payload.parse(payload)
  const next = () => packages.applyToNext(context.pool, packageId, pageSize)
  while (await retryOrExit(context, packageId, next));
}

export default applyPackage
