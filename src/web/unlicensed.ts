import { PanelError } from '../errors.ts'
import { type License, readServer } from '../model/server/license.ts'
import { t } from './texts/texts.ts'
import type { Wiring } from './page.ts'

/** Returns why the license permits no creation now, as a sentence; undefined if it does. */
export function whyUnlicensed({ requireLicense }: Pick<Wiring, 'requireLicense'>) {
  const license = licenseOr(requireLicense)
  return license instanceof PanelError ? license.message : undefined
}

/** Returns the same for one more account, for which a valid license may have no room. */
export async function whyNoAccount({
  requireLicense,
  pool,
}: Pick<Wiring, 'requireLicense' | 'pool'>): Promise<string | undefined> {
  const license = licenseOr(requireLicense)
  if (license instanceof PanelError) return license.message
  const { accounts } = await readServer(pool)
  if (accounts < license.maxAccounts) return undefined
  const allowed = t('panel.nAccount', { maxAccounts: license.maxAccounts })
  return t('panel.licensePermitsAllowedServer', { allowed, accounts })
}

function licenseOr(requireLicense: () => License): License | PanelError {
  try {
    return requireLicense()
  } catch (error) {
    if (error instanceof PanelError) return error
    throw error
  }
}
