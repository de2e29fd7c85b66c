import { setTimeout as sleep } from 'node:timers/promises'
import { openPool } from '../db.ts'
import { PanelError } from '../errors.ts'
import { machineOf } from '../host/machine.ts'
import { ensureReverseProxy } from '../install/reverse-proxy.ts'
import { healthTimeoutMs, requireReadiness } from '../install/health.ts'
import { installedUrl } from '../install/settings.ts'
import { ensureUnits } from '../install/units.ts'
import { ensureUsers } from '../install/users.ts'
import { migrate } from '../migrate.ts'
import { checkServer } from '../model/server/server-check.ts'
import { execute } from './execute.ts'
import { diagnose } from './doctor/doctor.ts'
import { findPanel } from './find-panel.ts'

// What a release does of itself when it takes the place of another, by its own code: only it knows
// its schema, its units, and how it is when it is well.

const verbs: Record<string, () => Promise<void>> = {
  migrate: () => migrate(installedUrl()),

  async settle() {
    // Its settings are read first: one that it does not know must not be found by its processes.
    const { config } = findPanel({})
    await ensureUsers()
    await ensureUnits()
    await ensureReverseProxy({ hostname: config.serverName, machine: machineOf(config) })
  },

  async health() {
    // One minute for all of it.
    const end = Date.now() + healthTimeoutMs
    await requireReadiness(end)
    await requireChecks(end)
    await requireWork(end)
  },
}

/** Carries out one of these, and says on standard error what keeps it from that. */
export async function actAsRelease(verb = ''): Promise<0 | 1> {
  try {
    const act = verbs[verb]
    if (act === undefined) throw new PanelError('invalid', `${verb} is not an action of a release`)
    await act()
    return 0
  } catch (error) {
    // A whole stack would hide the sentence from whoever updates.
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
    return 1
  }
}

const lookMs = 500

// What a process that has just started shows a moment later.
async function requireChecks(end: number): Promise<void> {
  for (;;) {
    const { checks } = await diagnose({})
    const failed = checks.filter(
      ({ name, state }) => state === 'failure' && /^(database|processes)\//.test(name),
    )
    if (failed.length === 0) return
    if (Date.now() > end) {
      throw new PanelError('failed', failed.map(({ sentence }) => sentence).join('; '))
    }
    await sleep(lookMs)
  }
}

// Through the queue, root, a file, and back.
async function requireWork(end: number): Promise<void> {
  const panel = findPanel({})
  const db = openPool(panel.databaseUrl, 'panel_owner', 1)
  try {
    const options = { key: undefined, waitMs: Math.max(0, end - Date.now()) }
    const outcome = await execute({ ...panel, db }, checkServer, {}, options)
    if (outcome.is === 'answered' && outcome.answer.status === 200) return
    throw new PanelError('failed', `An operation of the server is ${outcome.is}`)
  } finally {
    await db.end()
  }
}
