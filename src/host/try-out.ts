import { randomUUID } from 'node:crypto'
import { readFile, removeFile, ensureFile } from './tools/files.ts'
import type { Machine } from './contract.ts'

/** Writes a file as root, reads it back and removes it: whether the machine can be changed. */
export async function tryOut(machine: Machine): Promise<void> {
  const path = machine.path('/var/lib/panel/tried-out')
  const text = `${randomUUID()}\n`
  await ensureFile(path, text, 0o600)
  const found = readFile(path)
  removeFile(path)
  if (found !== text) throw new Error(`${path} does not contain what was written to it`)
}
