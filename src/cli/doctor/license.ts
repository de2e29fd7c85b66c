import { PanelError } from '../../errors.ts'
import {
  howToLicense,
  maySignOwn,
  readLicense,
  readServer,
  whyInvalid,
} from '../../model/server/license.ts'
import { type Checks, duration, failure, type DoctorContext, Skip, warning, well } from './check.ts'

const dayMs = 86_400_000
// Time for an order to be approved and paid.
const noticeDays = 14

/** The license, without which the API refuses everybody. */
export const licenseChecks: Checks = {
  async valid(panel) {
    const server = await readServer(await panel.db())
    const commands = howToLicense(maySignOwn(panel.license.key))
    const advice = `${commands}; a license names one server, and this is ${server.id}`
    try {
      const license = await readLicense(panel.license)
      if (license === undefined) return failure('No license is installed', advice)
      const reason = whyInvalid(license, server.id, new Date())
      return reason === undefined ? well(`The plan is ${license.plan}`) : failure(reason, advice)
    } catch (error) {
      if (!(error instanceof PanelError)) throw error
      return failure(error.message, advice)
    }
  },
  async expiry(panel) {
    const { expiresAt, plan } = await usable(panel)
    const isOwn = plan === 'own' && maySignOwn(panel.license.key)
    const renewal = isOwn ? 'panel install --self-license renews it' : 'Renew it'
    if (expiresAt === null) return well('The license does not expire')
    const left = expiresAt.getTime() - Date.now()
    const words = `The license expires in ${duration(left / 1_000)}`
    if (left > noticeDays * dayMs) return well(words)
    return warning(words, `${renewal}; API tokens stop working when it has expired`)
  },
  async accounts(panel) {
    const { maxAccounts } = await usable(panel)
    const { accounts } = await readServer(await panel.db())
    const words = `${accounts} of ${maxAccounts} accounts exist`
    if (accounts < maxAccounts * 0.9) return well(words)
    return warning(words, 'Order a larger plan: beyond it, creating accounts fails with 402')
  },
}

async function usable({ license: settings }: DoctorContext) {
  const license = await readLicense(settings).catch(() => undefined)
  if (license === undefined) throw new Skip('No license is installed')
  return license
}
