import { z } from 'zod'
import { type Db, oneFirst } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { domain } from '../grammar/grammar.ts'
import { write } from '../operations/writes.ts'

// Mail hosting of the server: mailboxes for accounts, by Postfix, Dovecot and Rspamd.

/** The mail server of this panel's server, as rows have it. */
export const MailServer = z.strictObject({
  /** Its name: MX records name it, and mail programs connect to it. */
  host: domain,
})

export type MailServer = z.output<typeof MailServer>

/** Turns mail hosting on, or changes the name of the mail server. */
export const enableMail = write<MailServer>({
  name: 'server/set-mail',
  subject: ({ host }) => host,
  async decide(db, { desired: { host } }) {
    await refuseTaken(db, host)
    return { accountId: null, params: { mail: { host } } }
  },
})

/**
 * Refuses a name that an account has, as mail programs of all customers trust the mail server's.
 *
 * @throws {PanelError} `domain_taken`
 */
export async function refuseTaken(db: Db, host: string): Promise<void> {
  const owner = await oneFirst<string | null>(db)`select panel.mail_host_owner(${host})`
  if (owner === null) return
  const words = `The account ${owner} has the name ${host}: choose another for the mail server`
  throw new PanelError('domain_taken', words, { field: 'host' })
}

/** Turns mail hosting off; mailboxes and their mail stay. */
export const disableMail = write<object>({
  name: 'server/set-mail',
  subject: () => 'none',
  decide: async () => ({ accountId: null, params: { mail: null } }),
})

/** Returns the mail server; null if mail hosting is off. */
export const readMailServer = async (db: Db): Promise<MailServer | null> =>
  MailServer.nullable().parse(await oneFirst<unknown>(db)`select mail from panel.server`)

/** The part of the machine that the worker uses for mail hosting. */
export type MailServerHost = {
  /**
   * Makes the daemons of mail hosting run with this name, or stops them; may run twice.
   *
   * @throws {PanelError} `unavailable`, if they are not installed
   * @throws if a daemon refuses its configuration; the earlier one is back then
   */
  setMailServer: (mail: MailServer | null) => Promise<void>
}
