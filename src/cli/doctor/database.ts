import * as health from '../../model/server/database-health.ts'
import { describeSchema } from '../../migrate.ts'
import { areLocksOpen } from '../../model/server/lock-functions.ts'
import { type Checks, count, failure, list, Skip, warning, well } from './check.ts'

/** The database itself, whoever uses it. */
export const databaseChecks: Checks = {
  async reachable({ db, starter }) {
    try {
      await db()
      return well('The database answers')
    } catch (error) {
      if (!(error instanceof Skip)) throw error
      return failure(error.message, `Start ${starter}; look into its log where it does not start`)
    }
  },
  async migrations({ db }) {
    const { pending, unknown, edited } = await describeSchema(await db())
    if (unknown.length > 0) {
      const words = `The database has migrations of a newer release: ${list(unknown)}`
      return warning(words, 'After a rollback they stay; panel update brings their release')
    }
    if (edited.length > 0) {
      const words = `Migrations were edited after they had run: ${list(edited)}`
      return failure(words, "Put the release's own files back")
    }
    if (pending.length === 0) return well('All migrations of this release have run')
    const words = `Migrations have not run: ${list(pending)}`
    return failure(words, 'Start the panel again, which runs them')
  },
  async functions({ db }) {
    const { hasFunctions } = await describeSchema(await db())
    if (hasFunctions) return well("The database has this release's functions")
    const words = 'The functions in the database are those of another release'
    return failure(words, 'Start the panel again, which installs its own')
  },
  async locks({ db }) {
    if (!(await areLocksOpen(await db()))) return well('Each role takes its own locks only')
    const words = 'Any role of the database can take the locks of accounts, and stop their changes'
    return warning(words, "As PostgreSQL's superuser run the statements in installing.md")
  },
  async durability({ db }) {
    const off = await health.listUnsafeSettings(await db())
    if (off.length === 0) return well('What was committed survives a power cut')
    const words = `After a power cut acknowledged changes may be gone: ${list(off)} is off`
    return failure(words, 'Switch it on in postgresql.conf and have PostgreSQL read it again')
  },
  async connections({ db }) {
    const { used, most } = await health.countConnections(await db())
    const words = `${used} of ${most} connections are in use`
    if (used < most * 0.8) return well(words)
    const advice = 'Raise max_connections, or see in pg_stat_activity who holds them'
    return used >= most * 0.95 ? failure(words, advice) : warning(words, advice)
  },
  async transactions({ db }) {
    const old = await health.listOldTransactions(await db())
    if (old.length === 0) return well('No transaction is open for long')
    const words = `${count(old.length, 'transaction')} open for over 5 minutes: ${list(old)}`
    return warning(words, "Whoever waits for their locks waits too: end them if they are nobody's")
  },
}
