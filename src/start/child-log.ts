import type { ChildProcess } from 'node:child_process'
import { closeSync, writeSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { z } from 'zod'
import { openLog } from './log-file.ts'

// A child's output goes to its log; its errors also go to the terminal, each on one line.

// For each of the two logs: enough for some hundred thousand requests, without filling a disk.
const maxLogBytes = 16 * 1024 * 1024
// No line of ours is longer.
const maxLineLength = 64 * 1024
// An outage repeats the same error.
const repeatAfterMs = 10_000

const ErrorLine = z.object({
  level: z.literal('error'),
  message: z.string(),
  error: z.object({ message: z.string() }).optional(),
})

/** The log of one service, over all its runs. */
export class ChildLog {
  readonly #path: string
  readonly #notify: (sentence: string) => void
  readonly #lastAt = new Map<string, number>()
  #file: number
  #bytes = 0

  constructor(path: string, notify: (sentence: string) => void) {
    this.#path = path
    this.#notify = notify
    this.#file = openLog(path)
  }

  /** Copies the output of a process until it closes. */
  follow(child: ChildProcess): void {
    for (const stream of [child.stdout, child.stderr]) if (stream !== null) this.#copy(stream)
  }

  close(): void {
    closeSync(this.#file)
    this.#file = -1
  }

  #copy(stream: Readable): void {
    let unfinished = ''
    stream.setEncoding('utf8')
    stream.on('data', (text: string) => {
      this.#write(text)
      const lines = (unfinished + text).split('\n')
      unfinished = (lines.pop() ?? '').slice(0, maxLineLength)
      for (const line of lines) if (line.includes('"level":"error"')) this.#report(line)
    })
  }

  #write(text: string): void {
    if (this.#file === -1) return
    try {
      if (this.#bytes > maxLogBytes) {
        const full = this.#file
        this.#file = openLog(this.#path)
        this.#bytes = 0
        closeSync(full)
      }
      this.#bytes += writeSync(this.#file, text)
    } catch (error) {
      // A full disk costs lines of the log, but does not stop the panel.
      this.#reportOnce(`${this.#path} cannot be written: ${(error as Error).message}`)
    }
  }

  #report(line: string): void {
    const sentence = sentenceOf(line)
    if (sentence !== undefined) this.#reportOnce(sentence)
  }

  #reportOnce(sentence: string): void {
    const now = Date.now()
    if (now - (this.#lastAt.get(sentence) ?? 0) < repeatAfterMs) return
    for (const [text, at] of this.#lastAt) if (now - at > repeatAfterMs) this.#lastAt.delete(text)
    this.#lastAt.set(sentence, now)
    this.#notify(sentence)
  }
}

/**
 * Returns the readable part of an error line, without characters that could manipulate a terminal.
 */
export function sentenceOf(line: string): string | undefined {
  const parsed = ErrorLine.safeParse(parse(line))
  if (!parsed.success) return undefined
  const { message, error } = parsed.data
  const sentence = error === undefined ? message : `${message}: ${error.message}`
  return sentence.replace(/\p{C}+/gu, ' ').slice(0, 500)
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
