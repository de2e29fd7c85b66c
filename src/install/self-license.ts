import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { existsSync } from 'node:fs'
import { ensureFile, readFile } from '../host/tools/files.ts'
import { hasSelfLicense, signLicense } from '../model/license.ts'

// A hoster who runs the panel on servers of their own is their own vendor: the key that signs their
// licenses is made on the server, where root alone reads it.

/** The private key that signs this server's own licenses. */
export const vendorFile = '/etc/panel/vendor.pem'

/** Of a license for oneself; renewed by the next `panel install --self-license`. */
const years = 10
const maxAccounts = 10_000

/** Why this server cannot license itself, in a sentence; undefined where it can. */
export function whyNoSelfLicense(
  settings: Record<string, string>,
  isLicensed: boolean,
): string | undefined {
  if (!hasSelfLicense) return 'This release is licensed by its vendor alone: ask them for a license'
  if (existsSync(vendorFile)) return undefined
  if (settings['PANEL_LICENSE_KEY'] !== undefined) {
    return 'PANEL_LICENSE_KEY in the settings names a vendor, who signs the licenses of this server'
  }
  if (isLicensed) return 'A license is installed already: panel license show'
  return undefined
}

/** The public half of the server's own vendor key, which is made where there is none yet. */
export async function ensureVendorKey(): Promise<string> {
  if (readFile(vendorFile) === undefined) {
    const { privateKey } = generateKeyPairSync('ed25519')
    const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
    await ensureFile(vendorFile, pem, 0o600)
  }
  const publicKey = createPublicKey(vendorKey())
  return publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
}

const vendorKey = () => createPrivateKey(readFile(vendorFile) ?? '')

/** A license for this server, signed by its own key. */
export function makeSelfLicense(serverId: string, now = new Date()): string {
  const expiresAt = new Date(now)
  expiresAt.setUTCFullYear(now.getUTCFullYear() + years)
  return signLicense({ plan: 'own', maxAccounts, serverId, expiresAt }, vendorKey())
}
