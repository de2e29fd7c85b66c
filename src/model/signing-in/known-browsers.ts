import { createHmac, randomBytes } from 'node:crypto'
import { keyFor } from '../server/sealing.ts'
import { readSigned, sign } from './signed-values.ts'

// A browser that has signed in as somebody before: guesses from elsewhere don't make it wait.

const lifeMs = 90 * 86_400_000
// More people rarely share one.
const maxNames = 4

type Known = { id: string; names: string[] }

const signingKey = (serverKey: Buffer): Buffer => keyFor('panel: known browsers', serverKey)

/** The number under which tries in this browser are counted, if it knows the name. */
export function browserKnowing(
  name: string,
  cookie: string | undefined,
  serverKey: Buffer,
): string | null {
  const known = cookie === undefined ? undefined : readSigned<Known>(cookie, signingKey(serverKey))
  return known?.names.includes(marked(name, serverKey)) === true ? known.id : null
}

/** The cookie of a browser in which somebody has just signed in. */
export function rememberIn(cookie: string | undefined, name: string, serverKey: Buffer): string {
  const key = signingKey(serverKey)
  const before = cookie === undefined ? undefined : readSigned<Known>(cookie, key)
  const mark = marked(name, serverKey)
  const others = before?.names.filter(other => other !== mark) ?? []
  const id = before?.id ?? randomBytes(12).toString('base64url')
  const names = [mark, ...others].slice(0, maxNames)
  return sign({ id, names }, key, new Date(Date.now() + lifeMs))
}

// The names themselves are nobody else's who uses the browser.
const marked = (name: string, serverKey: Buffer): string =>
  createHmac('sha256', signingKey(serverKey)).update(name).digest('base64url').slice(0, 16)
