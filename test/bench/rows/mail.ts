import { openMailSide, type MailSide } from '../linux/mail-side.ts'
import { inTurns, decide, type Row } from '../row.ts'

// A mailbox, from the call until its first message has been accepted and read by IMAP, against the
// bare tools next to the same daemons; and one more among a thousand mail domains. Both are in one
// throw-away copy of this machine, started by systemd; root only.

const rounds = 10
const many = { accounts: 100, domains: 10, mailboxes: 3 }

const measure: Row = async bench => {
  await using side = await openMailSide(bench, 'mail')
  const alone = await compare(side)
  await side.ask({ others: many })
  const among = await compare(side)
  const total = many.accounts * many.domains
  return [
    decide(
      { what: 'mailbox until its first message is read', unit: 'ms', bound: { atMost: 1.5 } },
      alone,
      ms => ms,
    ),
    decide(
      { what: `the same among ${total} mail domains`, unit: 'ms', bound: { oursMax: 1_200 } },
      among,
      ms => ms,
    ),
  ]
}

const compare = (side: MailSide) =>
  inTurns(rounds, {
    floor: async () => (await side.ask({ mailbox: 'floor' })).ms,
    ours: async () => (await side.ask({ mailbox: 'ours' })).ms,
  })

export default measure
