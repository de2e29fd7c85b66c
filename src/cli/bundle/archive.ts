import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { PanelError } from '../../errors.ts'
import { run } from '../../host/tools/run.ts'

const mode = 0o600

/** @throws {PanelError} `busy`, if there is a file of that name */
export function refuseExisting(path: string): void {
  if (fs.lstatSync(path, { throwIfNoEntry: false }) === undefined) return
  throw new PanelError('busy', `${path} is there already, and is not overwritten`)
}

/**
 * Packs texts below one folder into a tar.gz that only this user may read. It gets its name once it
 * is complete.
 *
 * @returns its size in bytes
 * @throws {PanelError} `busy`, if there is a file of that name; `forbidden` where none can be made
 */
export async function pack(path: string, files: ReadonlyMap<string, string>): Promise<number> {
  const work = fs.mkdtempSync(join(tmpdir(), 'panel-bundle-'))
  const unfinished = join(dirname(path), `.${basename(path)}.${process.pid}`)
  try {
    const folder = basename(path).replace(/(\.tar)?\.t?gz$/, '') || 'panel-support'
    for (const [name, text] of files) {
      const file = join(work, folder, name)
      fs.mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      fs.writeFileSync(file, text, { mode })
    }
    const packed = join(work, 'packed')
    await run('tar', ['-czf', packed, '-C', work, '--owner=0', '--group=0', '--', folder])
    fs.chmodSync(packed, mode)
    // Copied, as the target may be on another disk; a link then fails where the name is taken.
    fs.copyFileSync(packed, unfinished, fs.constants.COPYFILE_EXCL)
    fs.chmodSync(unfinished, mode)
    fs.linkSync(unfinished, path)
    return fs.statSync(path).size
  } catch (error) {
    throw refusal(path, error)
  } finally {
    fs.rmSync(unfinished, { force: true })
    fs.rmSync(work, { recursive: true, force: true })
  }
}

function refusal(path: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'EEXIST') {
    return new PanelError('busy', `${path} is there already, and is not overwritten`)
  }
  if (code === undefined || !/^E(ACCES|PERM|NOENT|NOTDIR|ROFS|NOSPC)$/.test(code)) return error
  return new PanelError('forbidden', `${path} cannot be written (${code})`, { cause: error })
}
