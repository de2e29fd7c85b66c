import * as fs from 'node:fs'
import type { Machine, UserKey } from '../contract.ts'
import { removeIfThere } from '../tools/files.ts'
import { testedOf } from './unit.ts'

// A test of a configuration starts all of PHP. Its outcome does not depend on whose account it is,
// so configurations that differ in nothing else are tested once, until something else that PHP
// reads has changed on the machine.

/** A user that owns nothing, on every Debian. */
const nobody = 65_534

const passed = new Set<string>()
const maxKept = 1_000

/** A configuration without the account's name and number. */
const shapeOf = ({ username, uid }: UserKey, text: string): string =>
  text.replaceAll(`/home/${username}/`, '/home/*/').replaceAll(String(uid), '*')

/** Throws what php-fpm says of an account's file that it can't start with. */
export async function testPool(
  { path, php, run }: Pick<Machine, 'path' | 'php' | 'run'>,
  account: UserKey,
  text: string,
): Promise<void> {
  const file = path(testedOf(account.uid))
  // What a worker that was killed in a test has left.
  removeIfThere(file)
  const surroundings = php.surroundings()
  const tested = `${surroundings}\n${shapeOf(account, text)}`
  if (surroundings !== undefined && passed.has(tested)) return
  try {
    // A test opens the log, and whoever owns that can close it at any moment, to keep its package
    // from being changed.
    fs.writeFileSync(file, text.replace(/^error_log = .*$/m, 'error_log = /dev/null'))
    // Not as the account, which could kill whatever runs as itself.
    await run(php.name(), ['-t', '-y', testedOf(account.uid)], { as: nobody })
  } finally {
    fs.rmSync(file, { force: true })
  }
  if (passed.size >= maxKept) passed.clear()
  passed.add(tested)
}
