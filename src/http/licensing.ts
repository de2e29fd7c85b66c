import { readFile } from 'node:fs/promises'
import type { Pool } from '../db.ts'
import { PanelError } from '../errors.ts'
import { log } from '../log.ts'
import {
  developmentLicense,
  parseKey,
  parseLicense,
  whyInvalid,
  type License,
} from '../model/license.ts'

export type LicenseSettings = {
  file: string
  /** The vendor's public key, or the one that a build or a test has put in its place. */
  key: string
  /** Whether the development license counts where there is no file. */
  isDevelopment: boolean
}

/** The license in force, as requests are judged by it. */
export type Licensing = {
  /** @throws {PanelError} `forbidden` where there is no valid paid one */
  require: () => License
  stop: () => void
}

// An installed license works within this time, without a restart.
const rereadMs = 5_000

/** Reads the license, and again every few seconds. */
export async function openLicensing(pool: Pool, settings: LicenseSettings): Promise<Licensing> {
  const { rows } = await pool.query<{ id: string }>('select id from panel.server')
  const serverId = rows[0]!.id
  let license = await readLicense(settings)
  const timer = setInterval(() => {
    void readLicense(settings).then(read => (license = read))
  }, rereadMs).unref()
  return {
    require: () => {
      const reason =
        license === undefined
          ? 'This server has no valid license'
          : whyInvalid(license, serverId, new Date())
      if (license === undefined || reason !== undefined) throw new PanelError('forbidden', reason!)
      return license
    },
    stop: () => clearInterval(timer),
  }
}

async function readLicense(settings: LicenseSettings): Promise<License | undefined> {
  try {
    return parseLicense(await readFile(settings.file, 'utf8'), parseKey(settings.key))
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    if (isMissing) return settings.isDevelopment ? developmentLicense : undefined
    log.error('the license cannot be used', error, { file: settings.file })
    return undefined
  }
}
