import { spawnSync } from 'node:child_process'
import { constants, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'

/**
 * Locks a file until this process ends, in whatever way: the kernel drops the lock with the last
 * descriptor of the file, and no child inherits it. If another process has the lock, returns its
 * id.
 */
export function takePidLock(lockFile: string): string | undefined {
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW
  const file = openSync(lockFile, flags, 0o600)
  // Node cannot lock a file itself; flock(1) locks the open file that both processes share.
  const { status, error } = spawnSync('flock', ['--exclusive', '--nonblock', '3'], {
    stdio: ['ignore', 'ignore', 'ignore', file],
  })
  if (error !== undefined) throw error
  if (status !== 0) return readFileSync(file, 'utf8').trim()
  ftruncateSync(file)
  writeSync(file, `${process.pid}\n`, 0)
  return undefined
}
