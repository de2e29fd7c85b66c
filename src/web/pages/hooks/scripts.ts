import { listPaused } from '../../../model/jobs/paused-tasks.ts'
import { listScriptRuns, type ShownScriptRun } from '../../../model/events/script-runs.ts'
import { readSnapshot } from '../../../model/server/server-snapshot.ts'
import { administrators, page } from '../../page.ts'
import { hooksHead } from './tabs.ts'

const maxRuns = 50

const isRetryable = ({ outcome, is_repeated }: ShownScriptRun): boolean =>
  !is_repeated && outcome !== null && ['failed', 'timed_out', 'refused'].includes(outcome)

/** /hooks/scripts: the hook scripts, and their last runs with what they have written. */
export const scripts = page({
  path: '/hooks/scripts',
  roles: administrators,
  async load({ pool }) {
    const [{ head }, runs, paused, snapshot] = await Promise.all([
      hooksHead(pool),
      listScriptRuns(pool, maxRuns),
      listPaused(pool),
      readSnapshot(pool),
    ])
    return {
      ...{ head, runs, snapshot, isRetryable },
      canChoose: runs.some(isRetryable),
      paused: paused.filter(({ task }) => task === 'hook/run'),
    }
  },
  template: 'pages/hooks/scripts',
})
