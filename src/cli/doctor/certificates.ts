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
  list,
  type DoctorContext,
  requireRoot,
  warning,
  well,
} from './check.ts'

/** What websites prove themselves with. */
export const certificateChecks: Checks = {
  expiry: panel =>
    findConcerns(panel, 'certificates/expiry', {
      isWell: 'No certificate ends soon',
      advice: () => 'panel account show tells why; the names have to point here',
    }),
  async failed({ db }) {
    const failed = await health.listFailedCertificates(await db())
    if (failed.length === 0) return well('Every certificate that was ordered has come')
    const words = `No certificate: ${list(failed.map(one => `${one.domain}: ${one.error}`))}`
    return warning(words, 'Mend what the sentence names; it is tried again by itself')
  },
  async overdue({ db }) {
    await requireReleased(await db())
    const late = await health.listLateCertificates(await db())
    if (late.length === 0) return well('Every certificate is looked at in time')
    const words = `Nobody looks at the certificates of ${list(late)}, which are due`
    return warning(words, 'See that courier and worker are up')
  },
  files(panel) {
    requireRoot(panel)
    const served = listServed(panel.machine)
    const bad = served.flatMap(id => {
      const why = whyUnusable(panel, id)
      return why === undefined ? [] : [`website ${id}: ${why}`]
    })
    if (bad.length === 0) return well(`${count(served.length, 'certificate')} can be served`)
    const words = `Certificates that no browser takes: ${list(bad)}`
    return failure(words, 'Remove served.pem in its folder, then panel ctl rebuild')
  },
  async present(panel) {
    requireRoot(panel)
    const served = new Set(listServed(panel.machine))
    const installed = await health.listInstalled(await panel.db())
    const missing = installed.filter(({ site_id }) => !served.has(site_id))
    if (missing.length === 0) return well('Every certificate of the rows is on the machine')
    const words = `Certificates are gone: ${list(missing.map(({ domain }) => domain))}`
    return failure(words, 'Restore them from a backup, or start the worker, which orders others')
  },
  async strangers(panel) {
    requireRoot(panel)
    const known = new Set(await health.listSiteIds(await panel.db()))
    const all = readdirSync(panel.machine.path(certificatesFolder))
    const strange = all.filter(name => !known.has(name))
    if (strange.length === 0) return well("Nobody else's keys are kept")
    const words = `Keys of websites that no account has: ${list(strange)}`
    return warning(words, `Remove them from ${certificatesFolder}, after a look at them`)
  },
}

function whyUnusable({ machine }: DoctorContext, id: string): string | undefined {
  const text = readServed(machine, id) ?? ''
  try {
    const certificate = new X509Certificate(text.slice(text.indexOf('-----BEGIN CERTIFICATE')))
    if (certificate.validToDate.getTime() < Date.now()) return 'it has ended'
    if (certificate.validFromDate.getTime() > Date.now()) return 'it has not begun'
    const isItsKey = certificate.checkPrivateKey(createPrivateKey(text))
    return isItsKey ? undefined : 'its key is another one'
  } catch {
    return 'the file is damaged'
  }
}
