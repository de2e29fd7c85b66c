import * as health from '../../model/server/database-health.ts'
import { describeSchema } from '../../migrate.ts'
import { areLocksOpen } from '../../model/server/lock-functions.ts'
import { type Checks, count, failure, list, Skip, warning, well } from './check.ts'

/** Checks the database itself. */
export const databaseChecks: Checks = {
  async reachable({ db, starter }) {
    try {
      await db()
      return well('The database answers')
    } catch (error) {
      if (!(error instanceof Skip)) throw error
      return failure(error.message, `Start ${starter}; if it does not start, see its log`)
    }
  },
  async migrations({ db }) {
    const { pending, unknown, edited } = await describeSchema(await db())
    if (unknown.length > 0) {
      const words = `The database has migrations of a newer release: ${list(unknown)}`
      return warning(words, 'They stay after a rollback; panel update installs their release')
    }
    if (edited.length > 0) {
      const words = `Migrations were edited after they ran: ${list(edited)}`
      return failure(words, "Restore the release's own files")
    }
    if (pending.length === 0) return well('All migrations of this release have run')
    const words = `Migrations have not run: ${list(pending)}`
    return failure(words, 'Restart the panel to run them')
  },
  async functions({ db }) {
    const { hasFunctions } = await describeSchema(await db())
    if (hasFunctions) return well("The database has this release's functions")
    const words = 'The functions in the database are those of another release'
    return failure(words, 'Restart the panel to install its own')
  },
  async locks({ db }) {
    if (!(await areLocksOpen(await db()))) return well('Each role can take only its own locks')
    const words = 'Any role of the database can take the locks of accounts, and stop their changes'
    return warning(words, "Run the statements in installing.md as PostgreSQL's superuser")
  },
  async durability({ db }) {
    const off = await health.listUnsafeSettings(await db())
    if (off.length === 0) return well('Committed changes survive a power cut')
    const words = `A power cut can lose acknowledged changes: ${list(off)} is off`
    return failure(words, 'Switch it on in postgresql.conf and reload PostgreSQL')
  },
  async connections({ db }) {
    const { used, max } = await health.countConnections(await db())
    const words = `${used} of ${max} connections are in use`
    if (used < max * 0.8) return well(words)
    const advice = 'Raise max_connections, or see pg_stat_activity for who uses them'
    return used >= max * 0.95 ? failure(words, advice) : warning(words, advice)
  },
  async transactions({ db }) {
    const old = await health.listOldTransactions(await db())
    if (old.length === 0) return well('No transaction has been open for long')
    const words = `${count(old.length, 'transaction')} open for over 5 minutes: ${list(old)}`
    return warning(words, 'They block others that need their locks: end those not needed')
  },
}
