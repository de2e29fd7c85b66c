import { X509Certificate, createPrivateKey } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { certificatesFolder, listServed, readServed } from '../../host/web/served-certificate.ts'
import * as health from '../../model/server/database-health.ts'
import { requireReleased } from './backups.ts'
import {
  type Checks,
  count,
  failure,
  findConcerns,
  fixedBy,
  list,
  type DoctorContext,
  requireRoot,
  warning,
  well,
} from './check.ts'

/** Checks the certificates of websites. */
export const certificateChecks: Checks = {
  expiry: panel =>
    findConcerns(panel, 'certificates/expiry', {
      isWell: 'No certificate expires soon',
      advice: () => 'Run panel account show for the reason; the domains must point here',
    }),
  async failed({ db }) {
    const failed = await health.listFailedCertificates(await db())
    if (failed.length === 0) return well('Every certificate that was requested has been issued')
    const words = `Not issued: ${list(failed.map(one => `${one.domain}: ${one.error}`))}`
    const first = failed.slice(0, 5)
    return fixedBy(
      warning(words, 'Fix the problem; the panel repeats it by itself'),
      ...first.map(({ username, domain }) => ({ do: 'recheck-site', username, domain }) as const),
    )
  },
  async overdue({ db }) {
    await requireReleased(await db())
    const late = await health.listLateCertificates(await db())
    if (late.length === 0) return well('Every certificate is checked on time')
    const words = `Checks of certificates are overdue for ${list(late)}`
    return warning(words, 'Make sure that the courier and the worker are running')
  },
  files(panel) {
    requireRoot(panel)
    const served = listServed(panel.machine)
    const bad = served.flatMap(id => {
      const why = whyUnusable(panel, id)
      return why === undefined ? [] : [`website ${id}: ${why}`]
    })
    if (bad.length === 0) return well(`${count(served.length, 'certificate')} can be served`)
    const words = `Certificates that browsers reject: ${list(bad)}`
    return failure(words, 'Remove served.pem in its folder, then panel ctl rebuild')
  },
  async present(panel) {
    requireRoot(panel)
    const served = new Set(listServed(panel.machine))
    const installed = await health.listInstalled(await panel.db())
    const missing = installed.filter(({ site_id }) => !served.has(site_id))
    if (missing.length === 0) return well('Every issued certificate is on the machine')
    const words = `Certificates are missing: ${list(missing.map(({ domain }) => domain))}`
    return failure(
      words,
      'Restore them from a backup, or start the worker, which requests new ones',
    )
  },
  async orphaned(panel) {
    requireRoot(panel)
    const known = new Set(await health.listSiteIds(await panel.db()))
    const all = readdirSync(panel.machine.path(certificatesFolder))
    const orphaned = all.filter(name => !known.has(name))
    if (orphaned.length === 0) return well('No orphaned keys')
    const words = `Keys of websites that no account has: ${list(orphaned)}`
    return warning(words, `Check them, then remove them from ${certificatesFolder}`)
  },
}

function whyUnusable({ machine }: DoctorContext, id: string): string | undefined {
  const text = readServed(machine, id) ?? ''
  try {
    const certificate = new X509Certificate(text.slice(text.indexOf('-----BEGIN CERTIFICATE')))
    if (certificate.validToDate.getTime() < Date.now()) return 'it has expired'
    if (certificate.validFromDate.getTime() > Date.now()) return 'it is not valid yet'
    const isItsKey = certificate.checkPrivateKey(createPrivateKey(text))
    return isItsKey ? undefined : 'its key does not match'
  } catch {
    return 'the file is damaged'
  }
}
