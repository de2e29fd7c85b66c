import { hasKernel } from '../../host/accounts/user-processes.ts'
import { mailDaemons } from '../../host/mail-server/daemons.ts'
import { mailServerDrift } from '../../host/mail-server/mail-server.ts'
import { inShort } from '../../host/tools/file-drift.ts'
import { type MailServer, readMailServer } from '../../model/server/mail-server.ts'
import {
  type Checks,
  type DoctorContext,
  failure,
  fixedBy,
  fixedByRoot,
  list,
  requireKernel,
  requireRoot,
  Skip,
  well,
} from './check.ts'

/** Checks Postfix, Dovecot and Rspamd, where accounts have mailboxes. */
export const mailServerChecks: Checks = {
  async configuration(panel) {
    const mail = await requireMail(panel)
    const missing = panel.machine.part(mailDaemons).lack()
    if (hasKernel(panel.machine) && missing.length > 0) {
      const words = `Programs of the mail server are missing: ${list(missing)}`
      return fixedByRoot(failure(words, enable(mail)), enable(mail))
    }
    const differing = await mailServerDrift(panel.machine, mail)
    if (differing.length === 0) return well('The configuration of the mail server is unchanged')
    const words = `The mail server differs: ${list(differing.map(inShort))}`
    return failure(words, 'Run panel ctl rebuild to write it again')
  },
  async running(panel) {
    const mail = await requireMail(panel)
    requireKernel(panel)
    const down = await panel.machine.part(mailDaemons).listDown()
    if (down.length === 0) return well('Postfix, Dovecot and Rspamd are running')
    const words = `${list(down)} ${down.length === 1 ? 'is' : 'are'} not running: mail waits`
    const finding = failure(words, `Run systemctl start ${down.join(' ')}, or ${enable(mail)}`)
    return fixedBy(finding, ...down.map(service => ({ do: 'start-service', service }) as const))
  },
}

const enable = ({ host }: MailServer): string => `panel mail enable --host ${host}`

/** @throws {Skip} where accounts have no mailboxes */
async function requireMail(panel: DoctorContext): Promise<MailServer> {
  requireRoot(panel)
  const mail = await readMailServer(await panel.db())
  if (mail === null) throw new Skip('The mail server is off: panel mail enable turns it on')
  return mail
}
