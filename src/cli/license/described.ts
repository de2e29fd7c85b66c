import type { Db } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import {
  type License,
  type LicenseSettings,
  readLicense,
  readServer,
  whyInvalid,
} from '../../model/server/license.ts'
import { fields, type Layout } from '../columns.ts'

/** A license for programs and, in words, for people. */
export type Described = { result: DescribedLicense; words: Layout }

export type DescribedLicense = {
  plan: string | null
  max_accounts: number | null
  accounts: number
  server_id: string
  expires_at: Date | null
  is_valid: boolean
  reason: string | null
}

/** Describes the installed license, or says why it cannot be read. */
export async function describeInstalled(db: Db, settings: LicenseSettings): Promise<Described> {
  const server = await readServer(db)
  try {
    return described(server, await readLicense(settings))
  } catch (error) {
    if (!(error instanceof PanelError)) throw error
    return described(server, undefined, error.message)
  }
}

/** @param problem why no license could be read */
export function described(
  server: { id: string; accounts: number },
  license: License | undefined,
  problem = 'No license is installed',
): Described {
  const reason =
    license === undefined ? problem : (whyInvalid(license, server.id, new Date()) ?? null)
  const result = {
    plan: license?.plan ?? null,
    max_accounts: license?.maxAccounts ?? null,
    accounts: server.accounts,
    server_id: server.id,
    expires_at: license?.expiresAt ?? null,
    is_valid: reason === null,
    reason,
  }
  const words = fields({
    plan: result.plan,
    accounts: `${result.accounts} of ${result.max_accounts ?? '-'}`,
    'server ID': result.server_id,
    expires: license !== undefined && license.expiresAt === null ? 'never' : result.expires_at,
    valid: reason === null ? 'yes' : `no: ${reason}`,
  })
  return { result, words }
}
