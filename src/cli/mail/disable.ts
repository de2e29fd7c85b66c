import { hasKernel } from '../../host/accounts/user-processes.ts'
import { machineOf } from '../../host/machine.ts'
import { releaseMasks } from '../../install/mail.ts'
import { disableMail } from '../../model/server/mail-server.ts'
import type { ExitCode } from '../panel-command.ts'
import { WriteCommand } from '../write-command.ts'
import { mailWords } from './words.ts'

export class MailDisableCommand extends WriteCommand {
  static override summary = 'stop the mail server'
  static override details = `
    Mailboxes, their mail and the packages stay; other servers keep trying to deliver for some
    days. To turn it on again, run panel mail enable.
  `
  static override examples = { 'Turn it off': '$0' }

  async act(): Promise<ExitCode> {
    const { config } = await this.open()
    if (hasKernel(machineOf(config))) await releaseMasks()
    return this.write(disableMail, {}, mailWords)
  }
}
