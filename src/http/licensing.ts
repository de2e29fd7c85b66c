import type { Pool } from '../db.ts'
import { log } from '../log.ts'
import {
  readLicense,
  readServer,
  requirePaid,
  type License,
  type LicenseSettings,
} from '../model/license.ts'

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
  const { id: serverId } = await readServer(pool)
  let license = await readUsable(settings)
  const timer = setInterval(() => {
    void readUsable(settings).then(read => (license = read))
  }, rereadMs).unref()
  return {
    require: () => requirePaid(license, serverId, new Date()),
    stop: () => clearInterval(timer),
  }
}

async function readUsable(settings: LicenseSettings): Promise<License | undefined> {
  try {
    return await readLicense(settings)
  } catch (error) {
    log.error('the license cannot be used', error, { file: settings.file })
    return undefined
  }
}
