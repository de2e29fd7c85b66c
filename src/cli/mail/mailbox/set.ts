import { Option } from 'clipanion'
import { z } from 'zod'
import { PanelError } from '../../../errors.ts'
import { Autoresponder } from '../../../model/mail/autoresponder.ts'
import { FilterLines } from '../../../model/mail/filters.ts'
import { mailboxAddress, quotaMb } from '../../../model/mail/mail-grammar.ts'
import { set } from '../../../model/mail/mailboxes.ts'
import { AccountCommand } from '../../account/account-command.ts'
import { readSmallFile } from '../../small-file.ts'
import { wholeNumber } from '../../words.ts'
import { mailboxWords } from './words.ts'

const Words = z.object({
  mailbox: mailboxAddress,
  quota_mb: wholeNumber.pipe(quotaMb).optional(),
  subject: Autoresponder.shape.subject.optional(),
  days: wholeNumber.pipe(z.int().min(1).max(30, 'must be at most 30')).optional(),
})

export class MailMailboxSetCommand extends AccountCommand {
  static override summary = 'change the size, the filters or the autoresponder of a mailbox'
  static override details = `
    An autoresponder answers mail to the mailbox, each sender at most once in --days days, and never
    mailing lists. Its message is the text of a file. Filters are lines of a file, and the first one
    that matches a message applies: «subject invoice -> Bills» moves it to a folder, and «from
    news@example.com -> delete» deletes it. Filters compare from, to (including Cc) or subject.
  `
  static override examples = {
    'Make it larger': '$0 alice info@alice.example --quota-mb 4096',
    'Answer with a text': '$0 alice info@alice.example --autoresponder away.txt --subject Away',
    'Sort its mail': '$0 alice info@alice.example --filters filters.txt',
    'Remove the autoresponder': '$0 alice info@alice.example --no-autoresponder',
  }

  mailbox = Option.String({ name: 'ADDRESS' })
  quota_mb = Option.String('--quota-mb', { description: 'its maximum size in MB' })
  autoresponder = Option.String('--autoresponder', { description: 'the file with the message' })
  subject = Option.String('--subject', { description: 'the subject of the answer' })
  days = Option.String('--days', {
    description: 'days until a sender gets it again; 7 if left out',
  })
  filters = Option.String('--filters', { description: 'the file with the filters' })
  isUnfiltered = Option.Boolean('--no-filters', false, { description: 'remove the filters' })
  isWithout = Option.Boolean('--no-autoresponder', false, {
    description: 'remove the autoresponder',
  })

  async act() {
    const { mailbox, quota_mb, subject, days } = this.parse(Words)
    const autoresponder = this.isWithout ? null : await this.readAutoresponder(subject, days)
    const filters = this.isUnfiltered ? [] : await this.readFilters()
    const change = {
      ...(quota_mb !== undefined && { quota_mb }),
      ...(autoresponder !== undefined && { autoresponder }),
      ...(filters !== undefined && { filters }),
    }
    return this.write(set, { username: this.username, mailbox, ...change }, mailboxWords)
  }

  private async readFilters() {
    if (this.filters === undefined) return undefined
    const parsed = FilterLines.safeParse(await readSmallFile(this.filters, 'filters'))
    if (parsed.success) return parsed.data
    throw new PanelError('invalid', `The file ${parsed.error.issues[0]?.message}`)
  }

  private async readAutoresponder(subject = 'Automatic reply', days = 7) {
    if (this.autoresponder === undefined) return undefined
    const message = await readSmallFile(this.autoresponder, 'a message')
    const parsed = Autoresponder.safeParse({ subject, days, message })
    if (parsed.success) return parsed.data
    throw new PanelError('invalid', `The message ${parsed.error.issues[0]?.message}`)
  }
}
