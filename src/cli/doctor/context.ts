import { openPool, type Pool } from '../../db.ts'
import { machineOf } from '../../host/machine.ts'
import { HostAccount, toHostAccount } from '../../model/accounts/host-account.ts'
import { list as listRebuildable, type Rebuildable } from '../../model/jobs/rebuilds.ts'
import type { Found } from '../find-panel.ts'
import { type DoctorContext, Skip } from './check.ts'

// Some checks wait for each other rather than take many connections of a database in trouble.
const connections = 4

/** Opens the resources that checks read; none of them has to be up. */
export function openContext(found: Found): DoctorContext & { close: () => Promise<void> } {
  const { config } = found
  const pool = openPool(found.databaseUrl, 'panel_owner', connections)
  // A check fails by its statement, in words of its own, and logs nothing.
  pool.removeAllListeners('error').on('error', () => undefined)
  const db = once(() => connected(pool))
  const rows = once(async () => listRebuildable(await db(), []))
  return {
    ...found,
    machine: machineOf(config),
    isRoot: process.getuid?.() === 0,
    db,
    rows,
    accounts: once(async () => (await rows()).flatMap(fitting)),
    close: () => pool.end(),
  }
}

// Rows that the machine must not see are reported as a difference.
function fitting({ record, ...secrets }: Rebuildable): HostAccount[] {
  try {
    return [toHostAccount(record, secrets)]
  } catch {
    return []
  }
}

async function connected(pool: Pool): Promise<Pool> {
  try {
    await pool.query('select')
    return pool
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException
    throw new Skip(`The database cannot be reached (${message || code})`)
  }
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}
