import { readFileSync } from 'node:fs'
import { version } from '../../config.ts'
import { CommandError, run } from '../../host/tools/run.ts'
import { isGood, isOwnSignature, ownCertificateFile } from '../../host/web/own-certificate.ts'
import { find as findOwnCertificate } from '../../model/certificates/own-certificate.ts'
import { hasDatabases } from '../../install/mariadb.ts'
import { currentRelease, readRelease } from '../../install/release.ts'
import { units } from '../../install/units.ts'
import { readJournal } from '../../install/update/journal.ts'
import { isInProgress } from '../../install/update/unit.ts'
import { findUnfinished } from '../../unfinished-restore.ts'
import {
  type Checks,
  failure,
  fixedByRoot,
  list,
  requireRoot,
  Skip,
  warning,
  well,
} from './check.ts'

/** Checks everything that `panel install` has made and no other check covers. */
export const installationChecks: Checks = {
  release() {
    const installed = requireRelease()
    if (installed.version === version) return well(`Release ${version} is installed`)
    const words = `Release ${installed.version} is installed, and this is ${version}`
    return warning(words, `Run ${currentRelease}/bin/panel`)
  },
  async update(panel) {
    requireRelease()
    requireRoot(panel)
    const journal = readJournal()
    if (journal === undefined) return well('No update is in progress, and none was interrupted')
    const { from, to, step } = journal
    if (await isInProgress()) return well(`Update from ${from} to ${to} in progress (${step})`)
    const words = `An update from ${from} to ${to} was interrupted in ${step}, and not rolled back`
    return failure(words, 'Run systemctl start panel-update-resume; if it fails, see its journal')
  },
  restore({ config: { stateDir } }) {
    const found = findUnfinished(stateDir)
    if (found === undefined) return well('No restore of this server is unfinished')
    const words = `${found.words}: api, worker and courier do not start`
    return failure(words, `${found.remedy[0]?.toUpperCase()}${found.remedy.slice(1)}`)
  },
  async units() {
    requireRelease()
    const off: string[] = []
    const desired = [...units, ...(hasDatabases() ? ['mariadb.service'] : [])]
    for (const unit of desired) if (!(await isEnabled(unit))) off.push(unit)
    if (off.length === 0) return well('The panel starts at boot')
    const words = `These would not start at boot: ${list(off)}`
    const enable = `systemctl enable ${off.join(' ')}`
    return fixedByRoot(failure(words, `${enable}; or run panel install`), enable)
  },
  async 'reverse-proxy'(panel) {
    requireRelease()
    requireRoot(panel)
    const { hostname } = new URL(panel.config.baseUrl)
    const pem = readFileSync(ownCertificateFile, 'utf8')
    if (!isGood(pem, hostname, new Date())) {
      const words = `The panel's own certificate is not for ${hostname}, or is about to expire`
      return failure(words, 'Run panel install to create another')
    }
    if (!isOwnSignature(pem)) return well("The panel's own certificate is valid for its name")
    const asked = await panel.db().then(
      db => findOwnCertificate(db, 'panel'),
      () => undefined,
    )
    const why = asked?.error ?? 'no other was requested yet'
    return well(`The panel's own certificate is valid for its name, but self-signed: ${why}`)
  },
}

function requireRelease() {
  const release = readRelease(currentRelease)
  if (release === undefined) throw new Skip('No release is installed')
  return release
}

async function isEnabled(unit: string): Promise<boolean> {
  try {
    await run('systemctl', ['is-enabled', '--quiet', '--', unit])
    return true
  } catch (error) {
    if (error instanceof CommandError) return false
    throw error
  }
}
