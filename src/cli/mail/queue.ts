import { PanelError } from '../../errors.ts'
import { readMail } from '../../host/mail-server/queue.ts'
import { machineOf } from '../../host/machine.ts'
import type { MailQueue } from '../../model/server/mail-queue.ts'
import { type Display, table } from '../columns.ts'
import { DatabaseCommand } from '../database-command.ts'
import { oneLine } from '../foreign-text.ts'
import { relative } from '../times.ts'

export class MailQueueCommand extends DatabaseCommand {
  static override summary = 'list the mail that waits on this server'
  static override details = `
    Shows the oldest 100 messages, each with the reason why its first recipient has not received
    it. --json includes the senders, and the most frequent reasons. Retry all by postqueue -f.
  `
  static override examples = { 'List it': '$0' }

  async act(): Promise<void> {
    const { config } = await this.open()
    const machine = machineOf(config)
    if (machine.tools.areRequired && process.getuid?.() !== 0) {
      throw new PanelError('forbidden', 'Run this command as root: use sudo')
    }
    const mail = await readMail(machine)
    if (mail === undefined) throw new PanelError('mail_off', 'This server has no mail service')
    this.show({ queue: mail.queue }, queueWords(mail.queue))
  }
}

const queueWords = ({ total, messages }: MailQueue) => {
  const rows = messages.map(one => [
    ...[one.id, one.queue, relative(new Date(one.arrived_at), new Date())],
    oneLine(one.sender || 'a bounce'),
    one.recipients.map(oneLine).join(', ') + (one.recipient_count > 5 ? ', …' : ''),
    oneLine(one.reason ?? ''),
  ])
  const names = ['ID', 'QUEUE', 'ARRIVED', 'SENDER', 'RECIPIENTS', 'REASON']
  const listed = table(names, rows, { minColumns: 4, hasRemark: true })
  const words = total === 1 ? '1 message waits' : `${total} messages wait`
  return (display: Display) => (total === 0 ? `${words}\n` : `${words}\n${listed(display)}`)
}
