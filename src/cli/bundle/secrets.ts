import { readFileSync } from 'node:fs'
import type { Db } from '../../db.ts'
import { unseal } from '../../model/server/sealing.ts'
import { factorsKey } from '../../model/signing-in/second-factors.ts'
import { listSealedFactors, listSealedSecrets, listUrls } from '../../model/server/secrets.ts'
import { secretsKey } from '../../model/events/webhooks.ts'
import { firstStartFile } from '../../start/first-start.ts'
import { openRelay, readMailRelay, type SealedRelay } from '../../model/server/mail-relay.ts'
import type { Found } from '../find-panel.ts'

type Secrets = (string | Buffer)[]

/** Returns every secret of the panel that is readable here. */
export async function findSecrets(
  { config, databaseUrl, license }: Found,
  environment: Record<string, string | undefined>,
  db: Db | undefined,
): Promise<Secrets> {
  const key = bytesOf(config.keyFile)
  return [
    ...(key === undefined ? [] : [key]),
    ...(config.metricsToken === null ? [] : [config.metricsToken]),
    ...textsIn(firstStartFile(config.stateDir)),
    ...textsIn(license.file),
    ...credentialsOf(databaseUrl),
    ...Object.entries(environment).flatMap(([name, value = '']) =>
      secretName.test(name) ? [value] : credentialsOf(value),
    ),
    ...(db === undefined ? [] : await secretsOfRows(db, key)),
  ]
}

// Names of environment variables that hold secrets of other programs.
const secretName = /pass|secret|token|key$|auth|cred|private/i

async function secretsOfRows(db: Db, key: Buffer | undefined): Promise<Secrets> {
  const [webhooks, factors, urls, relay] = await Promise.all([
    listSealedSecrets(db),
    listSealedFactors(db),
    listUrls(db),
    readMailRelay(db),
  ])
  // Some receivers are protected by an unguessable path alone.
  const paths = urls.flatMap(url => [url, pathOf(url)])
  if (key === undefined) return paths
  const [forWebhooks, forFactors] = [secretsKey(key), factorsKey(key)]
  return [
    ...paths,
    ...webhooks.flatMap(({ id, secret }) => opened(secret, forWebhooks, id)),
    ...factors.flatMap(({ id, secret }) => opened(secret, forFactors, id)),
    ...passwordOf(relay, key),
  ]
}

function passwordOf(relay: SealedRelay | null, key: Buffer): Secrets {
  try {
    return [relay?.password ?? [], (relay && openRelay(relay, key).password) ?? []].flat()
  } catch {
    return [relay?.password ?? []].flat() // Sealed under another key.
  }
}

// As bytes, as text and as Base32, since logs may hold any of them.
function opened(sealed: Buffer, key: Buffer, about: string): Secrets {
  try {
    const secret = unseal(sealed, key, about)
    return [secret, secret.toString(), toBase32(secret), sealed]
  } catch {
    return [sealed] // Sealed under another key.
  }
}

/** The form that authenticator apps show (RFC 4648). */
function toBase32(bytes: Buffer): string {
  const bits = [...bytes].map(byte => byte.toString(2).padStart(8, '0')).join('')
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
  return (bits.match(/.{5}/g) ?? []).map(five => letters[Number.parseInt(five, 2)]).join('')
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url)
  return pathname.length > 1 ? pathname + search : url
}

function credentialsOf(text: string): string[] {
  if (!text.includes('://') || !URL.canParse(text)) return []
  const { password, searchParams } = new URL(text)
  const all = [password, searchParams.get('password') ?? '']
  return all.flatMap(one => [one, decoded(one)]).filter(one => one !== '')
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The secret values of a JSON file; the whole text of any other file. */
function textsIn(path: string): string[] {
  const text = bytesOf(path)?.toString() ?? ''
  try {
    const secret = (name: string) => !['base_url', 'username'].includes(name)
    const fields = Object.entries(JSON.parse(text) as Record<string, unknown>)
    return fields.flatMap(([name, value]) =>
      secret(name) && typeof value === 'string' ? [value] : [],
    )
  } catch {
    return [text]
  }
}

function bytesOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch {
    return undefined // What this user can't read can't come into the bundle.
  }
}
