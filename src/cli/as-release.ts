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

// The actions that a release runs with its own code when it replaces another: only that code knows
// its schema, its units and its health checks.

const verbs: Record<string, () => Promise<void>> = {
  migrate: () => migrate(installedUrl()),

  async prepare() {
    // Read the settings first, so that an unknown one fails here and not in the processes.
    const { config } = findPanel({})
    await ensureUsers()
    await ensureUnits()
    await ensureReverseProxy({ hostname: config.serverName, machine: machineOf(config) })
  },

  async health() {
    // All checks share one minute.
    const end = Date.now() + healthTimeoutMs
    await requireReadiness(end)
    await requireChecks(end)
    await requireWork(end)
  },
}

/** Runs one of these actions and reports failures on standard error. */
export async function actAsRelease(verb = ''): Promise<0 | 1> {
  try {
    const act = verbs[verb]
    if (act === undefined) throw new PanelError('invalid', `${verb} is not an action of a release`)
    await act()
    return 0
  } catch (error) {
    // A stack trace would hide the message from the administrator.
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
    return 1
  }
}

const pollMs = 500

// Waits until the processes that have just started pass their checks.
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
    await sleep(pollMs)
  }
}

// Runs one operation through the queue and the worker.
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
