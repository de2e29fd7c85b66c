import { Option } from 'clipanion'
import { z } from 'zod'
import { PanelError } from '../../errors.ts'
import { hasKernel } from '../../host/accounts/user-processes.ts'
import { machineOf } from '../../host/machine.ts'
import { claimInstallation } from '../../install/install-lock.ts'
import { installMail } from '../../install/mail.ts'
import { enableMail, MailServer } from '../../model/server/mail-server.ts'
import type { ExitCode } from '../panel-command.ts'
import { showProgress } from '../step-progress.ts'
import { WriteCommand } from '../write-command.ts'
import { mailWords } from './words.ts'

const Words = z.object({ host: MailServer.shape.host })

export class MailEnableCommand extends WriteCommand {
  static override summary = 'let accounts have mailboxes, or rename the mail server'
  static override details = `
    Installs Postfix, Dovecot and Rspamd of the distribution, and configures them for mailboxes
    of accounts. HOST is the name that MX records and mail programs use; it has to resolve
    to this server, whose address has to resolve back to it. The ports 25, 465, 587, 993 and
    4190 are opened, and accounts' own programs can connect to no other mail server.

    If the machine already has a mail server, the command names it and changes nothing unless
    --take-over is given.
  `
  static override examples = {
    'Turn it on': '$0 --host mail.example.net',
    'Replace the Postfix that is there': '$0 --host mail.example.net --take-over',
  }

  host = Option.String('--host', { required: true, description: 'the name of the mail server' })
  takeOver = Option.Boolean('--take-over', false, {
    description: 'replace the configuration of a mail server that is there',
  })

  async act(): Promise<ExitCode> {
    const { host } = this.parse(Words)
    const { config } = await this.open()
    if (hasKernel(machineOf(config))) {
      if (process.getuid?.() !== 0) {
        throw new PanelError('forbidden', 'Run this command as root: use sudo')
      }
      claimInstallation()
      await installMail({
        takesOver: this.takeOver,
        report: line => this.report(line),
        progress: showProgress(this.context.stderr),
      })
    }
    return this.write(enableMail, { host }, mailWords)
  }
}
