import { randomBytes } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import { PanelError } from '../errors.ts'

// Hashes for the machine's passwords take some 10 ms of computing each: they are made in a thread
// of their own, one after the other, so that the event loop never waits for one.

// Beyond this many a caller would wait for over a second: better to say so (503).
const maxWaiting = 100
// The thread's memory is given back when no password has come for this long.
const idleMs = 30_000

type Waiting = { resolve: (hash: string) => void; reject: (error: Error) => void }

let thread: Worker | undefined
let idle: NodeJS.Timeout | undefined
const line: Waiting[] = []

/**
 * The sha512-crypt hash of a password (crypt(5)), as the machine's shadow file holds it.
 *
 * @throws {PanelError} `unavailable` when too many are waiting
 */
export function hashForLinux(password: string): Promise<string> {
  if (line.length >= maxWaiting) {
    throw new PanelError('unavailable', 'Too many passwords are being set, try again later')
  }
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  line.push({ resolve, reject })
  clearTimeout(idle)
  thread ??= startThread()
  thread.postMessage({ password, salt: newSalt() })
  return promise
}

// 16 characters of crypt's own alphabet, the most that sha512-crypt takes: 96 random bits.
const newSalt = (): string => `$6$${randomBytes(12).toString('base64').replaceAll('+', '.')}`

function startThread(): Worker {
  const started = new Worker(new URL('./linux-password-thread.ts', import.meta.url))
  // It answers in the order it was asked.
  started.on('message', (hash: string) => {
    line.shift()?.resolve(hash)
    if (line.length === 0) idle = setTimeout(stopThread, idleMs).unref()
  })
  started.on('error', error => {
    thread = undefined
    for (const waiting of line.splice(0)) waiting.reject(error)
  })
  started.unref()
  return started
}

function stopThread(): void {
  void thread?.terminate()
  thread = undefined
}
