import type { Writable } from 'node:stream'
import { SingleBar } from 'cli-progress'

/** A progress bar on a terminal; nothing elsewhere. */
export type Progress = { add: (amount?: number) => void; end: () => void }

// Work that ends sooner shows no bar.
const silentMs = 2_000
const mebibyte = 1_048_576

/** @param given.total an estimate, which grows when more is added */
export function openProgress(
  stderr: Writable,
  given: { doing: string; total: number; isBytes?: boolean },
): Progress {
  const { doing, isBytes = false } = given
  const [unit, name] = isBytes ? [mebibyte, ' MiB'] : [1, '']
  const bar = new SingleBar({
    stream: stderr as NodeJS.WritableStream,
    format: `${doing} [{bar}] {value} of {total}${name}`,
    barsize: 30,
    hideCursor: true,
    clearOnComplete: true,
    emptyOnZero: true,
  })
  let [done, total] = [0, given.total]
  let isShown = false
  const draw = () => {
    bar.setTotal(Math.ceil(total / unit))
    bar.update(Math.floor(done / unit))
  }
  const waiting = setTimeout(() => {
    isShown = true
    bar.start(Math.ceil(total / unit), Math.floor(done / unit))
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
