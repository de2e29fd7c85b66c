import type { Readable, Writable } from 'node:stream'
import type { ReadStream, WriteStream } from 'node:tty'
import type { Size } from './frame.ts'

// The terminal of a live view: its other screen, so that what stood there before comes back. What
// is no terminal is written to line by line.

const other = '\u001b[?1049h\u001b[?25l'
const back = '\u001b[?25h\u001b[?1049l'
const home = '\u001b[H'
const clearToEnd = '\u001b[J'
const clearLine = '\u001b[K'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export type Screen = {
  /** Aborted when the viewer has had enough. */
  ended: AbortSignal
  size: () => Size
  /** Shows a frame instead of the last one; text for programs is written as it is. */
  draw: (frame: string | string[]) => void
  close: () => void
}

export function openScreen(input: Readable, output: Writable): Screen {
  const end = new AbortController()
  const stop = () => end.abort()
  for (const signal of signals) process.on(signal, stop)
  // Whoever reads may go.
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
    // What a terminal without a size and a file are taken for.
    size: () => ({ columns: terminal?.columns || 80, rows: terminal?.rows || 24 }),
    draw: frame => {
      if (typeof frame === 'string') output.write(frame)
      else if (terminal === undefined) output.write(`${frame.join('\n')}\n\n`)
      else {
        // Cleared before it is written: behind a full line the cursor stands on its last place.
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
