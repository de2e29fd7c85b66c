import { Option, UsageError } from 'clipanion'
import {
  changeSupportContact,
  readSupportContact,
  SupportContact,
} from '../../model/server/support-contact.ts'
import { DatabaseCommand } from '../database-command.ts'

export class CtlSupportContactCommand extends DatabaseCommand {
  static override summary = 'show or set the contact for people who cannot sign in'
  static override details = `
    It is an e-mail address, a web address or other text, such as a telephone number. The page
    for forgotten passwords shows it to everyone.
  `
  static override examples = {
    'Show the contact': '$0',
    'Set it': '$0 --set support@example.com',
    'Remove it': '$0 --clear',
  }

  contact = Option.String('--set', {
    description: 'an e-mail address, a web address or a sentence',
  })
  isCleared = Option.Boolean('--clear', false, { description: 'remove the contact' })

  async act(): Promise<void> {
    if (this.isCleared && this.contact !== undefined) {
      throw new UsageError('Use either --set or --clear')
    }
    const given = this.contact === undefined ? undefined : SupportContact.safeParse(this.contact)
    if (given?.success === false) {
      throw new UsageError(`The contact ${given.error.issues[0]?.message}`)
    }
    const { db } = await this.open()
    if (this.isCleared || given !== undefined) {
      const contact = given?.data ?? null
      await this.recorded(db, { action: 'settings/support-contact', about: contact }, own =>
        changeSupportContact(own, contact),
      )
    }
    this.show({ support_contact: await readSupportContact(db) })
  }
}
