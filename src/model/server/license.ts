import { createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import type { Db } from '../../db.ts'
import { PanelError } from '../../errors.ts'

// A license is a file signed by the vendor: plan, number of accounts, the one server, expiry.

/** The vendor's key, Ed25519 as SPKI in base64; `PANEL_LICENSE_KEY` replaces it. */
export const vendorKey = 'MCowBQYDK2VwAyEAuuAp7MaPTZzrXTia/HgKTSxU79qnF+PrIEYs3AfiPx8='

/**
 * Whether a hoster may sign their own licenses with `panel install --self-license`. A vendor who
 * offers licenses builds the panel with their own `vendorKey`, and false here.
 */
export const hasSelfLicense: boolean = true

/** The private key that signs this server's own licenses; only root can read it. */
export const vendorFile = '/etc/panel/vendor.pem'

/**
 * Returns whether `panel install --self-license` may sign a license here: not if only the release's
 * vendor signs them, or another vendor, named by PANEL_LICENSE_KEY.
 *
 * @param key the vendor's key that this server uses
 */
export const maySignOwn = (
  key: string,
  isAllowed = hasSelfLicense,
  ownFile: string = vendorFile,
): boolean => isAllowed && (key === vendorKey || isOwnKey(key, ownFile))

function isOwnKey(key: string, ownFile: string): boolean {
  try {
    return publicHalf(createPrivateKey(readFileSync(ownFile))) === key
  } catch (error) {
    // Users other than root only see that the file exists.
    return (error as NodeJS.ErrnoException).code === 'EACCES'
  }
}

/** Returns a public key in the form of PANEL_LICENSE_KEY. */
export const publicHalf = (key: KeyObject): string =>
  createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64')

/** Returns the commands that install a license; the end of a sentence. */
export const howToLicense = (isOwn: boolean): string =>
  isOwn
    ? 'panel license install FILE, or panel install --self-license if you are your own vendor'
    : 'panel license install FILE'

export type License = {
  plan: string
  /**
   * The number of accounts that may exist on the server; a create beyond it is answered with 402.
   */
  maxAccounts: number
  serverId: string | null
  expiresAt: Date | null
}

/** The license of `panel start`, for trials, while the panel listens on loopback only. */
export const developmentLicense: License = {
  plan: 'development',
  maxAccounts: 10_000,
  serverId: null,
  expiresAt: null,
}

export type LicenseSettings = {
  file: string
  key: string
  /** Whether the development license is used if there is no file. */
  isDevelopment: boolean
}

/**
 * Returns the installed license, valid or not; undefined if there is none.
 *
 * @throws {PanelError} `invalid`, if the file cannot be used; `unavailable`, if it cannot be read,
 *   whatever its content
 */
export async function readLicense(settings: LicenseSettings): Promise<License | undefined> {
  let text: string
  try {
    text = await readFile(settings.file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT') {
      const words = `The license ${settings.file} cannot be read (${code})`
      throw new PanelError('unavailable', words, { cause: error })
    }
    return settings.isDevelopment ? developmentLicense : undefined
  }
  return parseLicense(text, parseKey(settings.key))
}

/**
 * Returns the license if it is a paid one that is valid on this server now.
 *
 * @param isOwn whether the server may sign its own
 * @throws {PanelError} `license_invalid`
 */
export function requirePaid(
  license: License | undefined,
  serverId: string,
  now: Date,
  isOwn: boolean,
): License {
  // The caller may not be able to install a license, but can contact an administrator.
  const refuse = (reason: string, subject: string, one: string) => {
    const words = `${reason}: ${subject} administrator installs ${one} (as root, \
${howToLicense(isOwn)})`
    return new PanelError('license_invalid', words)
  }
  if (license === undefined) throw refuse('This server has no valid license', 'its', 'one')
  const reason = whyInvalid(license, serverId, now)
  if (reason !== undefined) throw refuse(reason, "the server's", 'another one')
  return license
}

/** Returns what licenses are checked against: the server's id and its number of accounts. */
export async function readServer(db: Db): Promise<{ id: string; accounts: number }> {
  const { rows } = await db.query<{ id: string; accounts: number }>(
    `select s.id,
       (select count(*)::int from panel.accounts where state <> 'terminated') as accounts
     from panel.server s`,
  )
  return rows[0]!
}

const SignedFile = z.strictObject({ payload: z.base64url(), signature: z.base64url() })

const Payload = z.strictObject({
  plan: z.string().min(1).max(64),
  max_accounts: z.int().min(0),
  server_id: z.uuid(),
  expires_at: z.iso.datetime(),
})

/**
 * Reads a license file: `{"payload","signature"}`, both base64url; the signature is Ed25519 over
 * the payload's bytes, which are JSON.
 *
 * @throws {PanelError} `invalid`, if it was not signed by the vendor or is malformed
 */
export function parseLicense(text: string, key: KeyObject): License {
  const file = SignedFile.safeParse(parseJson(text))
  if (!file.success) throw new PanelError('invalid', 'This is not a license file')
  const payload = Buffer.from(file.data.payload, 'base64url')
  if (!verify(null, payload, key, Buffer.from(file.data.signature, 'base64url'))) {
    throw new PanelError('invalid', 'The license was not signed by the vendor')
  }
  const parsed = Payload.safeParse(parseJson(payload.toString()))
  if (!parsed.success) {
    const wrong = parsed.error.issues.map(issue => issue.path.join('.') || issue.message).join(', ')
    throw new PanelError('invalid', `The license is signed but not valid for this panel: ${wrong}`)
  }
  const license = parsed.data
  return {
    plan: license.plan,
    maxAccounts: license.max_accounts,
    serverId: license.server_id,
    expiresAt: new Date(license.expires_at),
  }
}

/** Returns the text of a license file, signed with a vendor's private key. */
export function signLicense(
  { plan, maxAccounts, serverId, expiresAt }: License & { serverId: string; expiresAt: Date },
  key: KeyObject,
): string {
  const license: z.infer<typeof Payload> = {
    ...{ plan, max_accounts: maxAccounts, server_id: serverId },
    expires_at: expiresAt.toISOString(),
  }
  const payload = Buffer.from(JSON.stringify(license))
  const file: z.infer<typeof SignedFile> = {
    payload: payload.toString('base64url'),
    signature: sign(null, payload, key).toString('base64url'),
  }
  return `${JSON.stringify(file)}\n`
}

/**
 * Returns why a license is not a paid one that is valid here now, as a sentence; undefined if it
 * is.
 */
export function whyInvalid(license: License, serverId: string, now: Date): string | undefined {
  const reason = whyUnusable(license, serverId, now)
  if (reason !== undefined) return reason
  // API tokens require a paid license (specification, Authentication 7).
  if (license.plan === 'free') return 'The license is not a paid one'
  return undefined
}

/** Returns why a license, paid or not, is not valid on this server now; undefined if it is. */
export function whyUnusable(license: License, serverId: string, now: Date): string | undefined {
  if (license.serverId !== null && license.serverId !== serverId) {
    return 'The license is for another server'
  }
  if (license.expiresAt !== null && license.expiresAt <= now) return 'The license has expired'
  return undefined
}

/** @throws {PanelError} `invalid` */
export function parseKey(base64: string): KeyObject {
  let key: KeyObject | undefined
  let cause: unknown
  try {
    key = createPublicKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'spki' })
  } catch (error) {
    cause = error
  }
  if (key?.asymmetricKeyType === 'ed25519') return key
  throw new PanelError('invalid', 'The license key is not an Ed25519 key', { cause })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
