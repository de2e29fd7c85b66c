import * as fs from 'node:fs'
import { join } from 'node:path'
import { countLimitMs, duOptions, totalOf } from '../accounts/linux-files.ts'
import type { AccountFiles } from '../contract.ts'
import { ensureFolder, isThere } from '../tools/files.ts'
import { CommandError, run } from '../tools/run.ts'
import { renderIndexPage } from '../web/pages.ts'

/** Files of accounts in a sandbox, where all belong to whoever runs the panel. */
export const sandboxFiles = (): AccountFiles => ({
  owner: () => undefined,
  prepare: async () => {},

  async makeSite(_, path) {
    for (const folder of [path, join(path, 'public')]) ensureFolder(folder, 0o750)
    fs.writeFileSync(join(path, 'public/index.html'), renderIndexPage(), { mode: 0o640 })
  },

  async discard(_, path) {
    if (isThere(path)) await remove(path)
  },

  async moveAside(_, from, to) {
    if (!isThere(from)) return
    let place = to
    for (let count = 2; isThere(place); count++) place = `${to}-${count}`
    fs.renameSync(from, place)
  },

  removeIdly: remove,
  removeNow: remove,

  async measure(_, home) {
    try {
      return totalOf(
        await run('du', [...duOptions, home], { timeoutMs: countLimitMs, acceptedCodes: [1] }),
      )
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
      return walk(home)
    }
  },
})

const remove = (path: string): Promise<void> =>
  fs.promises.rm(path, { recursive: true, force: true })

/** Counts what `du` would, on a machine that has none. */
export async function walk(folder: string, seen = new Set<string>()): Promise<number> {
  const entries = await fs.promises.readdir(folder)
  let bytes = blocksOf(await fs.promises.lstat(folder))
  for (const entry of entries) {
    const path = join(folder, entry)
    const found = await fs.promises.lstat(path)
    if (found.isDirectory()) bytes += await walk(path, seen)
    else if (isNew(found, seen)) bytes += blocksOf(found)
  }
  return bytes
}

// A file with several names (hard links) counts once.
function isNew({ nlink, dev, ino }: fs.Stats, seen: Set<string>): boolean {
  if (nlink === 1) return true
  const isSeen = seen.has(`${dev}:${ino}`)
  seen.add(`${dev}:${ino}`)
  return !isSeen
}

const blocksOf = ({ blocks }: fs.Stats): number => blocks * 512
