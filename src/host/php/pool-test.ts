import type { Machine, UserKey } from '../contract.ts'
import { configurationOf } from './unit.ts'

// A test of a configuration starts all of PHP. Its outcome does not depend on whose account it is,
// so configurations that differ in nothing else are tested once, until something else that PHP
// reads has changed on the machine.

/** A user that owns nothing, on every Debian. */
const nobody = 65_534

const passed = new Set<string>()
const mostKept = 1_000

/** A configuration without the account's name and number. */
export const shapeOf = ({ username, uid }: UserKey, text: string): string =>
  text.replaceAll(`/home/${username}/`, '/home/*/').replaceAll(String(uid), '*')

/** Throws what php-fpm says of an account's file that it can't start with. */
export async function testPool(
  { php, run }: Pick<Machine, 'php' | 'run'>,
  account: UserKey,
  text: string,
): Promise<void> {
  const surroundings = php.surroundings()
  const tested = `${surroundings}\n${shapeOf(account, text)}`
  if (surroundings !== undefined && passed.has(tested)) return
  // Not as the account, which could kill whatever runs as itself; its group may open its log.
  const { uid } = account
  await run(php.name(), ['-t', '-y', configurationOf(uid)], { as: nobody, group: uid })
  if (passed.size >= mostKept) passed.clear()
  passed.add(tested)
}
