import { log } from '../../src/log.ts'
import { keepNewest, noteNoneFound } from '../../src/model/server/newest-release.ts'
import type { CourierTask } from '../../src/courier/task.ts'
import { toWords } from '../../src/queue/undo.ts'

// Asks the configured address for the newest release; repeated daily.
const findUpdate: CourierTask = async (_payload, _helpers, { pool, findRelease }) => {
  if (findRelease === null) return
  try {
    await keepNewest(pool, await findRelease())
  } catch (error) {
    log.error('no release was found', error)
    await noteNoneFound(pool, toWords(error))
  }
}

export default findUpdate
