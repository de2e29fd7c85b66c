import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { openPool } from '../db.ts'
import { ensureFile, readFile } from '../host/tools/files.ts'
import {
  hasSelfLicense,
  maySignOwn,
  publicHalf,
  readLicense,
  readServer,
  signLicense,
  vendorFile,
  vendorKey,
  whyInvalid,
} from '../model/server/license.ts'

// A hoster who runs the panel on their own servers is their own vendor: the key that signs their
// licenses is made on the server, where only root can read it.

/** Lifetime of such a license; the next `panel install --self-license` renews it. */
const years = 10
const maxAccounts = 10_000

/** Returns why this server cannot license itself, as a sentence; undefined if it can. */
export function whyNoSelfLicense(
  key: string,
  isLicensed: boolean,
  isAllowed = hasSelfLicense,
  ownFile: string = vendorFile,
): string | undefined {
  if (!isAllowed) return 'Only the vendor of this release issues licenses for it: request one there'
  if (!maySignOwn(key, isAllowed, ownFile)) {
    return 'PANEL_LICENSE_KEY in the settings names a vendor: request a license there'
  }
  // A self-signed license is renewed.
  if (isLicensed && key === vendorKey)
    return 'A license is already installed: see panel license show'
  return undefined
}

/**
 * Returns whether the license in the file is a paid one that is valid on this server now.
 *
 * @param url of the database, which knows the server's id; without one, a license for any server is
 * valid
 */
export async function isValid(file: string, key: string, url: string | undefined) {
  const license = await readLicense({ file, key, isDevelopment: false }).catch(() => undefined)
  if (license === undefined) return false
  const serverId = (await ownId(url)) ?? license.serverId ?? ''
  return whyInvalid(license, serverId, new Date()) === undefined
}

async function ownId(url: string | undefined): Promise<string | undefined> {
  if (url === undefined) return undefined
  const pool = openPool(url, 'panel_owner', 1)
  pool.removeAllListeners('error').on('error', () => undefined)
  try {
    return (await readServer(pool)).id
  } catch {
    // There is no database, or no schema yet.
    return undefined
  } finally {
    await pool.end()
  }
}

/** Returns the next step if there is no valid license. */
export const toLicense = (isOwn: boolean): string =>
  isOwn
    ? `  panel license install FILE                 accounts need a license: the vendor's,
  panel install --self-license               or your own if you are your own vendor
`
    : `  panel license install FILE                 accounts need a license, of your vendor
`

/** Returns the public half of the server's own vendor key, which is made if there is none yet. */
export async function ensureVendorKey(): Promise<string> {
  if (readFile(vendorFile) === undefined) {
    const { privateKey } = generateKeyPairSync('ed25519')
    const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
    await ensureFile(vendorFile, pem, 0o600)
  }
  return publicHalf(ownKey())
}

const ownKey = () => createPrivateKey(readFile(vendorFile) ?? '')

/** Makes a license for this server, signed with its own key. */
export function makeSelfLicense(serverId: string, now = new Date()): string {
  const expiresAt = new Date(now)
  expiresAt.setUTCFullYear(now.getUTCFullYear() + years)
  return signLicense({ plan: 'own', maxAccounts, serverId, expiresAt }, ownKey())
}
