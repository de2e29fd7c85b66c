import { createHmac, randomBytes } from 'node:crypto'
import { keyFor } from '../server/sealing.ts'
import { readSigned, sign } from './signed-values.ts'

// Recognises a browser from an earlier sign-in, so that guesses from elsewhere do not delay it.

const lifeMs = 90 * 86_400_000
// More than four people rarely share a browser; each may enter a username and an e-mail address.
const maxNames = 12

type Known = { id: string; names: string[] }

const signingKey = (serverKey: Buffer): Buffer => keyFor('panel: known browsers', serverKey)

/** Returns the number under which attempts in this browser are counted, if it knows the name. */
export function browserKnowing(
  name: string,
  cookie: string | undefined,
  serverKey: Buffer,
): string | null {
  const known = cookie === undefined ? undefined : readSigned<Known>(cookie, signingKey(serverKey))
  return known?.names.includes(marked(name, serverKey)) === true ? known.id : null
}

/** Returns the cookie of a browser after a sign-in under these names. */
export function rememberIn(
  cookie: string | undefined,
  names: readonly string[],
  serverKey: Buffer,
): string {
  const key = signingKey(serverKey)
  const before = cookie === undefined ? undefined : readSigned<Known>(cookie, key)
  const marks = names.map(name => marked(name, serverKey))
  const others = before?.names.filter(other => !marks.includes(other)) ?? []
  const id = before?.id ?? randomBytes(12).toString('base64url')
  const known = { id, names: [...marks, ...others].slice(0, maxNames) }
  return sign(known, key, new Date(Date.now() + lifeMs))
}

// Returns a keyed hash of a name, so that other users of the browser cannot read the names.
const marked = (name: string, serverKey: Buffer): string =>
  createHmac('sha256', signingKey(serverKey)).update(name).digest('base64url').slice(0, 16)
