import type { Writable } from 'node:stream'
import { cut } from './text-width.ts'

/** Shows the progress of a step that takes minutes. */
export type StepProgress = {
  show: (percent: number, doing: string) => void
  /** Clears the last line, which would otherwise stay above the next step. */
  clear: () => void
}

/**
 * Shows it in one line that is written again and again, where there is a terminal, and elsewhere in
 * a line for each fifth, so that a log stays short.
 */
export function showProgress(stderr: Writable): StepProgress {
  const { isTTY, columns } = stderr as { isTTY?: boolean; columns?: number }
  // A terminal may not know how wide it is, and say 0.
  const width = columns || 80
  let last = ''
  return {
    show(percent, doing) {
      const words = doing.replace(/\p{C}/gu, '')
      const line = `      ${`${Math.floor(percent)}`.padStart(3)} %  ${words}`
      const part = `${Math.floor(percent / 20)}`
      if (isTTY === true) stderr.write(`\r${cut(line, width - 1)}${eraseToEnd}`)
      else if (part !== last) stderr.write(`${line}\n`)
      last = part
    },
    clear() {
      if (isTTY === true && last !== '') stderr.write(`\r${eraseToEnd}`)
      last = ''
    },
  }
}

const eraseToEnd = '\u001b[K'
