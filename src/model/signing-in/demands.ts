import { type Db, run, oneFirst } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { findSecondFactor, type Person } from './second-factors.ts'

// Requirements of administrators for all operators.

/** Returns whether operators need a second factor to sign in. */
export const demandsSecondFactor = (db: Db) =>
  oneFirst<boolean>(db)`select demands_second_factor from panel.server`

/**
 * Requires a second factor of all operators, or no longer: an operator without one sets it up at
 * their next sign-in, and sessions without one end.
 *
 * @throws {PanelError} `invalid` if the caller has none
 */
export async function demandSecondFactor(db: Db, by: Person | null, desired: boolean) {
  if (desired && by !== null && !(await findSecondFactor(db, by))?.isConfirmed) {
    throw new PanelError('invalid', 'Set up your own two-factor authentication first')
  }
  await run(db)`select panel.demand_second_factor(${desired})`
}
