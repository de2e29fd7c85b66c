import type { Writable } from 'node:stream'
import { SingleBar } from 'cli-progress'

/** Shows on a terminal how far something is that takes long; nothing where nobody looks. */
export type Progress = { add(bytes: number): void; end(): void }

const unit = 1_048_576

/** @param totalBytes as far as it is known; it grows with what comes beyond it */
export function showProgress(stderr: Writable, doing: string, totalBytes: number): Progress {
  const bar = new SingleBar({
    stream: stderr as NodeJS.WritableStream,
    format: `${doing} [{bar}] {value} of {total} MiB`,
    barsize: 30,
    hideCursor: true,
    clearOnComplete: true,
    emptyOnZero: true,
  })
  let [done, total] = [0, totalBytes]
  bar.start(Math.ceil(total / unit), 0)
  return {
    add(bytes) {
      done += bytes
      total = Math.max(total, done)
      bar.setTotal(Math.ceil(total / unit))
      bar.update(Math.floor(done / unit))
    },
    end: () => bar.stop(),
  }
}
