import { isOutage, type Pool } from '../db.ts'
import { PanelError } from '../errors.ts'
import { log } from '../log.ts'
import {
  maySignOwn,
  readLicense,
  readServer,
  requirePaid,
  type License,
  type LicenseSettings,
} from '../model/server/license.ts'

/** The license in force, as requests are checked against it. */
export type Licensing = {
  /**
   * Returns the license.
   *
   * @throws {PanelError} `license_invalid` if there is no valid paid one, `unavailable` if it could
   *   not be read yet
   */
  require: () => License
  stop: () => void
}

// An installed license takes effect within this time, without a restart.
const rereadMs = 5_000

/** Reads the license, and reads it again every few seconds. */
export async function openLicensing(pool: Pool, settings: LicenseSettings): Promise<Licensing> {
  // Null until the database has returned it: an API that starts without one answers 503.
  let serverId = await ownId(pool)
  let known: { license: License | undefined } | undefined
  let complaint = ''
  const isOwn = maySignOwn(settings.key)
  const read = async () => {
    try {
      serverId ??= await ownId(pool)
      known = { license: await readLicense(settings) }
      complaint = ''
    } catch (error) {
      const { code, message } = error as PanelError
      // An unreadable file proves nothing about the license, and the last one still counts.
      if (code !== 'unavailable') known = { license: undefined }
      if (message !== complaint) log.error('the license cannot be used', error)
      complaint = message
    }
  }
  let reading: Promise<void> | undefined
  const timer = setInterval(() => {
    reading ??= read().finally(() => (reading = undefined))
  }, rereadMs).unref()
  await read()
  return {
    require: () => {
      if (known !== undefined && serverId !== null) {
        return requirePaid(known.license, serverId, new Date(), isOwn)
      }
      throw new PanelError('unavailable', 'The license cannot be read right now; try again shortly')
    },
    stop: () => clearInterval(timer),
  }
}

async function ownId(pool: Pool): Promise<string | null> {
  try {
    return (await readServer(pool)).id
  } catch (error) {
    if (isOutage(error)) return null
    throw error
  }
}
