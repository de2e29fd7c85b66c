import type { BaseContext } from 'clipanion'

// A bar on the terminal for what takes long; nobody sees it where it does not, or where nobody
// looks.

const silentMs = 2_000
const drawMs = 100
const width = 30

export type Progress = {
  /** One more is done. */
  step: () => void
  /** Takes the bar away. */
  end: () => void
}

export function openProgress(
  { stderr }: Pick<BaseContext, 'stderr'>,
  { what, total }: { what: string; total: number },
): Progress {
  if (!('isTTY' in stderr) || stderr.isTTY !== true) return { step() {}, end() {} }
  let done = 0
  let isShown = false
  const draw = () => {
    const full = Math.round((done / total) * width)
    const bar = `${'#'.repeat(full)}${'.'.repeat(width - full)}`
    stderr.write(`\r${what} [${bar}] ${done} of ${total}`)
    isShown = true
  }
  let drawing: NodeJS.Timeout | undefined
  const waiting = setTimeout(() => {
    draw()
    drawing = setInterval(draw, drawMs)
  }, silentMs)
  return {
    step: () => (done += 1),
    end: () => {
      clearTimeout(waiting)
      clearInterval(drawing)
      // Erases the line (EL of ECMA-48).
      if (isShown) stderr.write('\r\u001b[K')
    },
  }
}
