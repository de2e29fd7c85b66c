import type { Writable } from 'node:stream'
import { SingleBar } from 'cli-progress'

/** A progress bar on a terminal; nothing elsewhere. */
export type Progress = { add: (amount?: number) => void; end: () => void }

// Work that ends sooner shows no bar.
const silentMs = 2_000
const mebibyte = 1_048_576

/**
 * @param estimate the total, which grows when more is added
 * @param unit of bytes; anything else is counted
 */
export function openProgress(
  stderr: Writable,
  doing: string,
  estimate: number,
  unit?: 'MiB',
): Progress {
  const divisor = unit === undefined ? 1 : mebibyte
  const bar = new SingleBar({
    stream: stderr as NodeJS.WritableStream,
    format: `${doing} [{bar}] {value} of {total}${unit === undefined ? '' : ` ${unit}`}`,
    barsize: 30,
    hideCursor: true,
    clearOnComplete: true,
    emptyOnZero: true,
  })
  let [done, total] = [0, estimate]
  let isShown = false
  const draw = () => {
    bar.setTotal(Math.ceil(total / divisor))
    bar.update(Math.floor(done / divisor))
  }
  const waiting = setTimeout(() => {
    isShown = true
    bar.start(Math.ceil(total / divisor), Math.floor(done / divisor))
  }, silentMs)
  return {
    add(amount = 1) {
      done += amount
      total = Math.max(total, done)
      if (isShown) draw()
    },
    end() {
      clearTimeout(waiting)
      if (isShown) bar.stop()
    },
  }
}
