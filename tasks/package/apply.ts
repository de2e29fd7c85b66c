import { jobs } from '../../src/queue/job-list.ts'
import { retryOrExit } from '../../src/queue/retry-or-exit.ts'
import type { Task } from '../../src/queue/task.ts'
import * as packages from '../../src/model/packages.ts'

// Accounts at a time: a transaction of some 10 ms, so that the lanes are not held up.
const pageSize = 100

// Pages through the accounts of a changed package; how far it came is in the package's row, so a
// second run goes on from there.
const applyPackage: Task = async (payload, _helpers, context) => {
  const { packageId } = jobs['package/apply'].payload.parse(payload)
  const next = () => packages.applyToNext(context.pool, packageId, pageSize)
  while (await retryOrExit(context, packageId, next));
}

export default applyPackage
