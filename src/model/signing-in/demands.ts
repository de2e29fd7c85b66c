import { type Db, run, oneFirst } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { findSecondFactor, type Person } from './second-factors.ts'

// What administrators demand of all who administer or resell.

/** Whether they need a second factor to sign in. */
export const demandsSecondFactor = (db: Db) =>
  oneFirst<boolean>(db)`select demands_second_factor from panel.server`

/**
 * Demands a second factor of all administrators and resellers, or no longer: who has none sets it
 * up when signing in the next time, and the sessions without one end.
 *
 * @throws {PanelError} `invalid` where who asks has none
 */
export async function demandSecondFactor(db: Db, by: Person | null, desired: boolean) {
  if (desired && by !== null && !(await findSecondFactor(db, by))?.isConfirmed) {
    throw new PanelError('invalid', 'Set up your own two-factor authentication first')
  }
  await run(db)`select panel.demand_second_factor(${desired})`
}
