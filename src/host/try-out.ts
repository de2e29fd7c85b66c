import { randomUUID } from 'node:crypto'
import { readFile, removeFile, ensureFile } from './tools/files.ts'
import type { Machine } from './contract.ts'

/** Checks that the machine can be changed: writes a file as root, reads it back and removes it. */
export async function tryOut(machine: Machine): Promise<void> {
  const path = machine.path('/var/lib/panel/tried-out')
  const text = `${randomUUID()}\n`
  await ensureFile(path, text, 0o600)
  const found = readFile(path)
  removeFile(path)
  if (found !== text) throw new Error(`${path} does not contain what was written to it`)
}
