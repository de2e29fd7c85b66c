import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { run } from '../../host/tools/run.ts'
import { writeWhole } from '../whole-file.ts'

/**
 * Packs texts below one folder into a tar.gz that only this user may read. It gets its name once it
 * is complete.
 *
 * @returns its size in bytes
 * @throws {PanelError} as `writeWhole` does
 */
export async function pack(path: string, files: ReadonlyMap<string, string>): Promise<number> {
  const work = fs.mkdtempSync(join(tmpdir(), 'panel-bundle-'))
  try {
    const folder = basename(path).replace(/(\.tar)?\.t?gz$/, '') || 'panel-support'
    for (const [name, text] of files) {
      const file = join(work, folder, name)
      fs.mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      fs.writeFileSync(file, text, { mode: 0o600 })
    }
    const packed = join(work, 'packed')
    await run('tar', ['-czf', packed, '-C', work, '--owner=0', '--group=0', '--', folder])
    await writeWhole(path, fs.createReadStream(packed))
    return fs.statSync(path).size
  } finally {
    fs.rmSync(work, { recursive: true, force: true })
  }
}
