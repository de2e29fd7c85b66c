import * as fs from 'node:fs'
import type { Machine, UserKey } from '../contract.ts'
import { removeIfThere } from '../tools/files.ts'
import { testedOf } from './unit.ts'

// Tests of configurations. A test starts all of PHP. Its result does not depend on the account, so
// configurations that are otherwise equal are tested once, until something else that PHP reads has
// changed on the machine.

/** A user that owns nothing, on every Debian. */
const nobody = 65_534

const passed = new Set<string>()
const maxKept = 1_000

/** A configuration without the account's name and number. */
const shapeOf = ({ username, uid }: UserKey, text: string): string =>
  text.replaceAll(`/home/${username}/`, '/home/*/').replaceAll(String(uid), '*')

/** Throws php-fpm's error if it cannot start with an account's file. */
export async function testPool(
  { path, php, run }: Pick<Machine, 'path' | 'php' | 'run'>,
  account: UserKey,
  text: string,
): Promise<void> {
  const file = path(testedOf(account.uid))
  // Left by a worker that was killed in a test.
  removeIfThere(file)
  const surroundings = php.surroundings()
  const tested = `${surroundings}\n${shapeOf(account, text)}`
  if (surroundings !== undefined && passed.has(tested)) return
  try {
    // A test opens the log, and the log's owner can close it at any moment to prevent a change of
    // package.
    fs.writeFileSync(file, text.replace(/^error_log = .*$/m, 'error_log = /dev/null'))
    // Not as the account, which could kill anything that runs as itself.
    await run(php.name(), ['-t', '-y', testedOf(account.uid)], { as: nobody })
  } finally {
    fs.rmSync(file, { force: true })
  }
  if (passed.size >= maxKept) passed.clear()
  passed.add(tested)
}
