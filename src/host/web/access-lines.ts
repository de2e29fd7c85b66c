import * as fs from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import type { Machine, UserKey } from '../contract.ts'
import { refuseForeign } from '../php/log.ts'
import { hasCode } from '../tools/files.ts'
import { siteLogsOf } from './site-logs.ts'

// The lines of a website's access log that a program may read. The account may have written
// anything into the file.

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = fs.constants

// A log is rotated before (site-logs.ts).
const maxBytes = 12_000_000

// Like the worker writes them: the combined format, printable ASCII.
const quoted = '"[ !#-~]{0,4000}"'
const combined = new RegExp(
  String.raw`^[0-9a-f.:]{2,45} - [!-~]{1,200} \[\d\d/[A-Z][a-z]{2}/\d{4}(?::\d\d){3} \+0000\] ` +
    String.raw`${quoted} [1-5]\d\d \d{1,13} ${quoted} ${quoted}$`,
)

/** Returns the lines in the combined format of the former and the current log, the oldest first. */
export async function readAccessLines(
  machine: Machine,
  { username }: UserKey,
  domain: string,
): Promise<string> {
  const [current, former] = siteLogsOf(username, domain, 'access')
  let text = ''
  for (const path of [former, current]) {
    for (const [index, line] of readFile(machine, path).split('\n').entries()) {
      if (combined.test(line)) text += `${line}\n`
      if (index % 10_000 === 0) await setImmediate()
    }
  }
  return text
}

/** Returns the end of a file; nothing if there is no such file, or a lease on it. */
function readFile(machine: Machine, log: string): string {
  const path = machine.path(log)
  let file: number
  try {
    refuseForeign(machine, path)
    file = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'EAGAIN', 'ELOOP')) return ''
    throw error
  }
  try {
    const found = fs.fstatSync(file)
    if (!found.isFile()) return ''
    const buffer = Buffer.alloc(Math.min(found.size, maxBytes))
    const length = fs.readSync(file, buffer, 0, buffer.length, Math.max(0, found.size - maxBytes))
    return buffer.toString('latin1', 0, length)
  } finally {
    fs.closeSync(file)
  }
}
