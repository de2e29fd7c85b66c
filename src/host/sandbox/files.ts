import * as fs from 'node:fs'
import { join } from 'node:path'
import type { AccountFiles } from '../contract.ts'
import { ensureFolder, isThere, listNames } from '../tools/files.ts'
import { renderIndexPage } from '../web/pages.ts'
import { readHtaccess } from './htaccess.ts'

/** Files of accounts in a sandbox, where the user who runs the panel owns everything. */
export const sandboxFiles = (): AccountFiles => ({
  owner: () => undefined,
  prepare: async () => {},

  async makeSite(_, path) {
    for (const folder of [path, join(path, 'public')]) ensureFolder(folder, 0o750)
    fs.writeFileSync(join(path, 'public/index.html'), renderIndexPage(), { mode: 0o640 })
  },

  makeFolder: async (path, mode, owner) => void ensureFolder(path, mode, owner),
  admitWebServer: async () => {},
  listUnreadable: async () => ({ paths: [], isWhole: true }),
  readmitWebServer: async () => {},

  readHtaccess: async (_, among, limits) => readHtaccess(among, limits),

  async removeSessions(_, folder, seconds) {
    const names = listNames(folder).filter(name => name.startsWith('sess_'))
    for (const path of names.map(name => join(folder, name))) {
      const found = fs.lstatSync(path)
      if (found.isFile() && Date.now() - found.mtimeMs > seconds * 1_000) fs.rmSync(path)
    }
  },

  async discard(_, path) {
    if (isThere(path)) await remove(path)
  },

  async moveAside(_, from, to) {
    if (!isThere(from)) return
    let location = to
    for (let count = 2; isThere(location); count++) location = `${to}-${count}`
    fs.renameSync(from, location)
  },

  removeIdly: remove,
  removeNow: remove,

  async measure(_, home, more) {
    const all = await Promise.all([home, ...more].filter(isThere).map(count))
    return all.reduce((sum, bytes) => sum + bytes, 0)
  },
})

const remove = (path: string): Promise<void> =>
  fs.promises.rm(path, { recursive: true, force: true })

/** Counts as `du` does: a file with several names (hard links) counts once. */
async function count(folder: string): Promise<number> {
  const entries = await fs.promises.readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name))
  const blocks = new Map<string, number>()
  for (const path of [folder, ...paths]) {
    const found = await fs.promises.lstat(path)
    blocks.set(`${found.dev}:${found.ino}`, found.blocks)
  }
  return 512 * [...blocks.values()].reduce((sum, more) => sum + more, 0)
}
