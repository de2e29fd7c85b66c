import type { Readable, Writable } from 'node:stream'
import type { ReadStream, WriteStream } from 'node:tty'
import type { Size } from './frame.ts'

// A live view on the terminal's alternate screen, so that the previous contents come back. Without
// a terminal frames are written one below the other.

const other = '\u001b[?1049h\u001b[?25l'
const back = '\u001b[?25h\u001b[?1049l'
const home = '\u001b[H'
const clearToEnd = '\u001b[J'
const clearLine = '\u001b[K'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

type Screen = {
  /** Aborted when the viewer quits. */
  ended: AbortSignal
  size: () => Size
  /** Replaces the last frame; text (JSON) is written as it is. */
  draw: (frame: string | string[]) => void
  close: () => void
}

export function openScreen(input: Readable, output: Writable, hasColors: boolean): Screen {
  const end = new AbortController()
  const stop = () => end.abort()
  for (const signal of signals) process.on(signal, stop)
  // The reader may go away (EPIPE).
  output.on('error', stop)
  const terminal = 'isTTY' in output && output.isTTY ? (output as WriteStream) : undefined
  const keys = terminal && 'isTTY' in input && input.isTTY ? (input as ReadStream) : undefined
  const onKeys = (typed: Buffer) => {
    // q, Ctrl-C and Ctrl-D.
    if (/[qQ\u0003\u0004]/.test(typed.toString())) stop()
  }
  keys?.setRawMode(true).on('data', onKeys)
  let isOther = false

  return {
    ended: end.signal,
    // The size assumed for a file, and for a terminal that reports none.
    size: () => ({ columns: terminal?.columns || 80, rows: terminal?.rows || 24, hasColors }),
    draw: frame => {
      if (typeof frame === 'string') output.write(frame)
      else if (terminal === undefined) output.write(`${frame.join('\n')}\n\n`)
      else {
        // Each line is cleared first: after a full line the cursor is still on its last cell.
        const lines = frame.map(line => `${clearLine}${line}`).join('\r\n')
        const rest = frame.length < (terminal.rows || 24) ? `\r\n${clearToEnd}` : ''
        terminal.write(`${isOther ? '' : other}${home}${lines}${rest}`)
        isOther = true
      }
    },
    close: () => {
      for (const signal of signals) process.off(signal, stop)
      output.off('error', stop)
      keys?.off('data', onKeys).setRawMode(false).pause()
      if (isOther) terminal?.write(back)
    },
  }
}
