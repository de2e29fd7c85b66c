import * as fs from 'node:fs'
import type { Machine, UserKey } from '../contract.ts'
import { listNames, removeIfThere, targetOf } from '../tools/files.ts'
import { extensionsOf, isSitePhp, testedOf, type PhpInstance } from './instances.ts'

// Tests of configurations. A test starts all of PHP. Its result does not depend on the account, so
// configurations that are otherwise equal are tested once, until something else that PHP reads has
// changed on the machine.

/** A user that owns nothing, on every Debian. */
const nobodyId = 65_534

const passed = new Set<string>()
const maxKept = 1_000

type Tested = {
  account: UserKey
  instance: PhpInstance
  program: string
  environment: Record<string, string>
  text: string
}

/** A configuration without the names and numbers of its account and website. */
const shapeOf = ({ account: { username, uid }, instance, text }: Tested): string =>
  text
    .replaceAll(`/home/${username}/`, '/home/*/')
    .replaceAll(String(instance), '*')
    .replaceAll(String(uid), '*')

/** Returns the targets of a link, or of the links in a folder. */
const readLinks = (place: string): string =>
  targetOf(place) ??
  listNames(place)
    .map(name => targetOf(`${place}/${name}`))
    .join()

/** Throws php-fpm's error if it cannot start with a configuration. */
export async function testPool(
  { path, php, run }: Pick<Machine, 'path' | 'php' | 'run'>,
  pool: Tested,
): Promise<void> {
  const { instance, program, environment, text } = pool
  const file = path(testedOf(instance))
  // Left by a worker that was killed in a test.
  removeIfThere(file)
  const surroundings = php.surroundings(program)
  const extensions = isSitePhp(instance) ? readLinks(path(extensionsOf(instance))) : ''
  const tested = `${program}\n${surroundings}\n${extensions}\n${shapeOf(pool)}`
  if (surroundings !== undefined && passed.has(tested)) return
  try {
    // A test opens the log, and the log's owner can close it at any moment to prevent a change of
    // package.
    fs.writeFileSync(file, text.replace(/^error_log = .*$/m, 'error_log = /dev/null'))
    // Not as the account, which could kill anything that runs as itself.
    const args = ['-t', '-y', testedOf(instance)]
    await run(program, args, { as: nobodyId, environment })
  } finally {
    fs.rmSync(file, { force: true })
  }
  if (passed.size >= maxKept) passed.clear()
  passed.add(tested)
}
