import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { z } from 'zod'
import { PanelError } from '../errors.ts'

// A release's manifest describes its archive and is signed by the vendor; it is validated before
// anything is unpacked.

/** Keys that the administrator trusts in addition to those in the release. */
export const ownKeys = '/etc/panel/update-keys'

/** A release's version: only the three numbers, without prefixes or suffixes. */
export const version = z
  .string()
  .regex(/^[0-9]+\.[0-9]+\.[0-9]+$/, 'must be a version of three numbers, such as 1.0.0')

const Manifest = z.strictObject({
  version,
  architecture: z.enum(['x64', 'arm64']),
  archive: z.string().regex(/^panel-[0-9.]+-linux-\w+\.tar\.xz$/),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  size: z.int().positive(),
  /** The oldest version that can update to it. */
  follows: version,
  /** Whether the previous release can work on its schema. */
  isReadableByPrevious: z.boolean(),
  expiresAt: z.iso.datetime(),
  notes: z.string(),
})

export type Manifest = z.infer<typeof Manifest>

const SignedManifest = z.strictObject({
  payload: z.base64url(),
  /** The id of the key that signed it (`keyId`). */
  key: z.string(),
  signature: z.base64url(),
})

/** Returns the id of a key: the beginning of its SHA-256. */
export const keyId = (key: KeyObject): string =>
  createHash('sha256')
    .update(createPublicKeyOf(key).export({ type: 'spki', format: 'der' }))
    .digest('hex')
    .slice(0, 16)

const createPublicKeyOf = (key: KeyObject): KeyObject =>
  key.type === 'public' ? key : createPublicKey(key)

/** Returns the text of a manifest's file; the signature is Ed25519 over the payload's bytes. */
export function signManifest(manifest: Manifest, key: KeyObject): string {
  const payload = Buffer.from(JSON.stringify(Manifest.parse(manifest)))
  const file = {
    payload: payload.toString('base64url'),
    key: keyId(key),
    signature: sign(null, payload, key).toString('base64url'),
  }
  return `${JSON.stringify(file, null, 2)}\n`
}

/**
 * Reads a manifest that one of these keys has signed. The caller checks whether it has expired, or
 * is for this server.
 *
 * @throws {PanelError} `invalid`
 */
export function readManifest(text: string, trusted: readonly KeyObject[]): Manifest {
  const file = SignedManifest.safeParse(parseJson(text))
  if (!file.success)
    throw new PanelError('invalid', `This is not a release manifest: ${fetchAgain}`)
  const payload = Buffer.from(file.data.payload, 'base64url')
  const key = trusted.find(one => keyId(one) === file.data.key)
  if (key === undefined) {
    const words = `The manifest is signed with an unknown key (${file.data.key}): first update to \
the release that introduces it, or put it into ${ownKeys} if it is the vendor's`
    throw new PanelError('invalid', words)
  }
  if (!verify(null, payload, key, Buffer.from(file.data.signature, 'base64url'))) {
    throw new PanelError('invalid', `The manifest was changed after it was signed: ${fetchAgain}`)
  }
  const manifest = Manifest.safeParse(parseJson(payload.toString()))
  if (manifest.success) return manifest.data
  throw new PanelError(
    'invalid',
    `The manifest is signed, but its format is newer than this release \
supports: update to a release between them first`,
  )
}

const fetchAgain = 'download it and its archive again from where releases are published'

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
