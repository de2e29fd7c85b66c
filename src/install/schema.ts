import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import pRetry from 'p-retry'
import { connect, connection, openPool } from '../db.ts'
import { ensureFile, hasCode } from '../host/tools/files.ts'
import { migrate } from '../migrate.ts'
import { closeWhereAllowed } from '../model/server/lock-functions.ts'
import {
  parseKey,
  parseLicense,
  readServer,
  vendorFile,
  vendorKey,
  whyUnusable,
} from '../model/server/license.ts'
import { addOperator, findOperator } from '../model/sellers/operators.ts'
import type { InstallStep, Plan } from './plan.ts'
import { makeSelfLicense } from './self-license.ts'
import { installedUrl, licenseFile } from './settings.ts'
import { installedSettings, readSettings } from './settings-file.ts'

// invalid_authorization_specification (PostgreSQL, appendix A).
const invalidAuthorization = '28000'

export const schemaStep: InstallStep = {
  name: 'schema',
  does: () => 'Migrate the database',
  // PostgreSQL reads new access rules a moment after the signal to do so.
  async act() {
    await pRetry(() => migrate(installedUrl()), {
      ...{ retries: 20, factor: 1, minTimeout: 250 },
      shouldRetry: ({ error }) => hasCode(error, invalidAuthorization),
    })
    // The address of an external database may name a superuser.
    await using client = await connect(connection(installedUrl(), 'panel_owner', null))
    await closeWhereAllowed(client)
  },
}

export const licenseStep: InstallStep = {
  name: 'license',
  does({ license, selfLicense }) {
    if (selfLicense) return `Sign a license for this server with its own key (${vendorFile})`
    return license === undefined
      ? 'No license given: install one with panel license install before creating accounts'
      : 'Install the license'
  },
  async act({ license: given, selfLicense }) {
    if (given === undefined && !selfLicense) return undefined
    const pool = openPool(installedUrl(), 'panel_owner', 1)
    try {
      const key = readSettings(installedSettings)?.['PANEL_LICENSE_KEY'] ?? vendorKey
      const { id } = await readServer(pool)
      const license = given ?? makeSelfLicense(id)
      const reason = whyUnusable(parseLicense(license, parseKey(key)), id, new Date())
      if (reason !== undefined) return `${reason}, whose id is ${id}: it was not installed`
      await ensureFile(licenseFile, license, 0o644)
      return undefined
    } finally {
      await pool.end()
    }
  },
}

/** Returns whether the plan's license is the current one of this server. */
export const isLicensed = ({ license }: Plan): boolean =>
  license === undefined ||
  (existsSync(licenseFile) && readFileSync(licenseFile, 'utf8') === license)

/** Contains the first password until it was shown. */
const passwordFile = '/var/lib/panel/first-password'

export const administratorStep: InstallStep = {
  name: 'administrator',
  does: ({ administrator: { name, email } }) =>
    `Create the administrator ${name} (${email}), unless there is one`,
  async act({ administrator: { name, email, password } }) {
    const pool = openPool(installedUrl(), 'panel_owner', 1)
    try {
      if ((await findOperator(pool, name)) !== undefined) return
      await addOperator(pool, {
        name,
        role: 'administrator',
        email,
        password: password ?? (await firstPassword()),
      })
    } finally {
      await pool.end()
    }
  },
}

// The file is on the disk before the password counts: if this run is killed, the next one shows it.
async function firstPassword(): Promise<string> {
  const known = readIfThere()
  if (known !== undefined) return known
  const password = randomBytes(15).toString('base64url')
  await ensureFile(passwordFile, password, 0o600)
  return password
}

const readIfThere = (): string | undefined =>
  existsSync(passwordFile) ? readFileSync(passwordFile, 'utf8') : undefined

/** Shows the first password, which is stored nowhere afterwards; undefined if none was made. */
export function takeFirstPassword(show: (password: string) => void): void {
  const password = readIfThere()
  if (password === undefined) return
  show(password)
  rmSync(passwordFile)
}
