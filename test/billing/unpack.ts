import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { unzipSync } from 'fflate'
import type { Test } from 'tap'
import { build, readModule, toArchive, type Files } from '../../billing/module.ts'

/** Writes files into a temporary folder. */
export async function unpack(t: Test, files: Files): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'panel-billing-'))
  t.teardown(() => rm(folder, { recursive: true }))
  await writeFiles(folder, files)
  return folder
}

/** A billing system's root with a module's archive unpacked in it. */
export const install = async (t: Test, system: string): Promise<string> =>
  unpack(t, await unzipped(system))

/** The same in a folder of the caller's. */
export const installIn = async (folder: string, system: string): Promise<void> =>
  writeFiles(folder, await unzipped(system))

async function unzipped(system: string): Promise<Files> {
  const archive = toArchive(await build(await readModule(system)))
  return new Map(Object.entries(unzipSync(archive)))
}

async function writeFiles(folder: string, files: Files): Promise<void> {
  for (const [name, bytes] of files) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), bytes)
  }
}
