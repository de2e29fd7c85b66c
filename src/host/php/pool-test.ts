import * as fs from 'node:fs'
import type { Machine } from '../machine.ts'
import { configurationOf, phpBinary } from './unit.ts'
import type { UserKey } from '../accounts/users.ts'

// A test of PHP's configuration starts the whole of PHP. Whose account it is makes no difference to
// its outcome, so texts that differ only in that are tested once, until something on the machine
// changes that PHP reads besides.

/** A user that owns nothing, on every Debian. */
const nobody = 65_534

const passed = new Set<string>()
const mostKept = 1_000

/** What is left of a text without whose it is. */
export const shapeOf = ({ username, uid }: UserKey, text: string): string =>
  text.replaceAll(`/home/${username}/`, '/home/*/').replaceAll(String(uid), '*')

/** Throws what php-fpm says of an account's file that it can't start with. */
export async function testPool(machine: Machine, account: UserKey, text: string): Promise<void> {
  const { uid } = account
  const binary = phpBinary(machine)
  const shape = shapeOf(account, text)
  const tested = machine.kind === 'linux' ? `${surroundings(binary)}\n${shape}` : undefined
  if (tested !== undefined && passed.has(tested)) return
  // Not as the account, which could kill whatever runs as itself.
  await machine.run(binary, ['-t', '-y', configurationOf(uid)], { as: nobody })
  if (passed.size >= mostKept) passed.clear()
  if (tested !== undefined) passed.add(tested)
}

// The program, its php.ini and the files of its extensions: which and how old they are.
function surroundings(binary: string): string {
  const folder = `/etc/php/${binary.slice('php-fpm'.length)}/fpm`
  const extensions = namesIn(`${folder}/conf.d`).map(name => `${folder}/conf.d/${name}`)
  return [`/usr/sbin/${binary}`, `${folder}/php.ini`, ...extensions].map(ageOf).join('\n')
}

function ageOf(path: string): string {
  const found = fs.statSync(path, { throwIfNoEntry: false })
  return `${path} ${found?.ino} ${found?.size} ${found?.mtimeMs}`
}

function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder)
  } catch {
    return [] // It has no extensions there.
  }
}
