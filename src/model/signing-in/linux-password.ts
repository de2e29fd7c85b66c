import { randomBytes } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import { PanelError } from '../../errors.ts'

// Hashes for the machine's passwords take some 10 to 100 ms each. They are computed in a thread,
// one after the other, so that they never block the event loop.

// With more waiting, the answer would take over a second; a 503 is better.
const maxWaiting = 100
// The thread ends after this time without a password, which frees its memory.
const idleMs = 30_000

type Waiting = { resolve: (hash: string) => void; reject: (error: Error) => void }

let thread: Worker | undefined
let idle: NodeJS.Timeout | undefined
const line: Waiting[] = []

/**
 * Returns the sha512-crypt hash of a password (crypt(5)) for the machine's shadow file.
 *
 * @throws {PanelError} `unavailable` when too many are waiting
 */
export const hashForLinux = (password: string): Promise<string> => hash(password, saltOf('$6$'))

/**
 * Returns a hash for nginx, which compares a password at each request, and serves no other visitor
 * meanwhile: with fewer rounds, some 0.5 ms each.
 *
 * @throws {PanelError} `unavailable` when too many are waiting
 */
export const hashForSite = (password: string): Promise<string> =>
  hash(password, saltOf('$6$rounds=1000$'))

/**
 * Returns the bcrypt hash of a mailbox's password for Dovecot, at a cost that mail programs, which
 * log in again and again, can afford.
 *
 * @throws {PanelError} `unavailable` when too many are waiting
 */
export const hashForMail = (password: string): Promise<string> => hash(password, bcryptCost)

const bcryptCost = 10

function hash(password: string, salt: string | number): Promise<string> {
  if (line.length >= maxWaiting) {
    throw new PanelError('unavailable', 'Too many passwords are being set; try again later')
  }
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  line.push({ resolve, reject })
  clearTimeout(idle)
  thread ??= startThread()
  thread.postMessage({ password, salt })
  return promise
}

// Adds 16 characters of crypt's own alphabet, the maximum for sha512-crypt: 96 random bits.
const saltOf = (method: string): string =>
  `${method}${randomBytes(12).toString('base64').replaceAll('+', '.')}`

function startThread(): Worker {
  const started = new Worker(new URL('./linux-password-thread.ts', import.meta.url))
  // The thread answers in the order of the requests.
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
