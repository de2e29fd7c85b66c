import { closeSync, existsSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../../host/tools/run.ts'
import { logFile as installLog } from '../../install/progress.ts'
import { units } from '../../install/units.ts'
import type { Found } from '../find-panel.ts'

// The last lines that the processes have logged.

const maxBytes = 512 * 1024
const maxLines = 5_000

/** Returns the ends of the logs, by the names of their files. */
export async function readLogs({ config, isInstalled }: Found): Promise<Map<string, string>> {
  const folder = join(config.stateDir, 'log')
  const files = namesIn(folder).filter(name => /^[a-z-]+\.log(\.1)?$/.test(name))
  const logs = new Map(files.map(name => [name, meant(name, endOf(join(folder, name)))]))
  if (!isInstalled) return logs
  logs.set('journal.log', await readJournal())
  logs.set('units.txt', await readUnits())
  if (existsSync(installLog)) logs.set('install.log', endOf(installLog))
  return logs
}

/** Returns the state of the units from systemd. */
async function readUnits(): Promise<string> {
  const fields = 'Id,ActiveState,SubState,StateChangeTimestamp,NRestarts,Result,UnitFileState'
  try {
    return await run('systemctl', ['show', '-p', fields, '--', ...units])
  } catch (error) {
    return `systemd does not answer: ${error instanceof Error ? error.message : error}\n`
  }
}

async function readJournal(): Promise<string> {
  // The newest first, as what is too much is cut off at the end.
  const args = ['-r', '-u', 'panel-*', '-n', String(maxLines), '-o', 'short-iso', '--no-pager']
  try {
    const text = await run('journalctl', args, { outputLimit: maxBytes * 8 })
    return text
      .slice(0, text.lastIndexOf('\n') + 1)
      .split(/(?<=\n)/)
      .reverse()
      .join('')
  } catch (error) {
    return `The journal cannot be read: ${error instanceof Error ? error.message : error}\n`
  }
}

/** The end of a file, in whole lines: scrubbing would not recognise half a secret. */
function endOf(path: string): string {
  const file = openSync(path, 'r')
  try {
    const { size } = fstatSync(file)
    const length = Math.min(size, maxBytes)
    const bytes = Buffer.alloc(length)
    const read = readSync(file, bytes, 0, length, size - length)
    const text = bytes.subarray(0, read).toString()
    return length < size ? text.slice(text.indexOf('\n') + 1) : text
  } finally {
    closeSync(file)
  }
}

// Continuation lines of PostgreSQL quote statements and rows, and so customers' data.
const postgresLine = /^\d{4}-\d\d-\d\d .*?(LOG|WARNING|ERROR|FATAL|PANIC): /

const meant = (name: string, text: string): string =>
  name.startsWith('postgres')
    ? text
        .split('\n')
        .filter(line => postgresLine.test(line))
        .join('\n')
    : text

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    return []
  }
}
