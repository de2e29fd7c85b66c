import { all, type Db, maybeOne, run } from '../../db.ts'
import type { Person } from '../signing-in/second-factors.ts'
import { kindsFor, noticeKinds, type Content, type NoticeKind, type Role } from './notice-kinds.ts'

// Notices by e-mail: which a person gets, and the mails that the courier sends.

const own = ({ kind, id }: Person) => ({
  operator: kind === 'operator' ? id : null,
  account: kind === 'account' ? id : null,
})

/** Returns the kinds that a person can get, and which it gets. */
export async function listChoices(db: Db, person: Person, role: Role) {
  const { operator, account } = own(person)
  const rows = await all<{ kind: string; is_chosen: boolean }>(db)`
    select kind, is_chosen from panel.notice_choices
    where operator_id = ${operator} or account_id = ${account}`
  const chosen = new Map(rows.map(({ kind, is_chosen }) => [kind, is_chosen]))
  return kindsFor(role).map(({ name, label, isDefault }) => ({
    name,
    label,
    isChosen: chosen.get(name) ?? isDefault,
  }))
}

/** Sets the kinds that a person gets, among those that concern its role. */
export async function choose(db: Db, person: Person, role: Role, names: readonly string[]) {
  const { operator, account } = own(person)
  for (const { name } of kindsFor(role)) {
    const isChosen = names.includes(name)
    // The later of two choices at once counts.
    await run(db)`
      insert into panel.notice_choices (operator_id, account_id, kind, is_chosen)
      values (${operator}, ${account}, ${name}, ${isChosen})
      on conflict do nothing`
    await run(db)`
      update panel.notice_choices set is_chosen = ${isChosen}
      where kind = ${name} and (operator_id = ${operator} or account_id = ${account})`
  }
}

/** Notifies a person of a sign-in from a new device. */
export const noteNewDevice = (
  db: Db,
  person: Person,
  at: { address: string | null | undefined; browser: string | undefined },
) => run(db)`
  select panel.note_new_device(
    ${own(person).operator}, ${own(person).account}, ${at.address}, ${at.browser})`

/** Finds causes, and makes the mails that are due; `newer` is a newer release, if there is one. */
export const sweepNotices = (db: Db, newer: string | null) =>
  run(db)`select panel.sweep_notices(${newer})`

/** A mail to one person. */
export type NoticeMail = {
  id: string
  name: string
  email: string
  role: Role
  notices: { kind: string; content: Content }[]
}

/** Begins an attempt of a mail that is due; undefined if none is. */
export const startNoticeMail = (db: Db) => maybeOne<NoticeMail>(db)`
  select id, name, email, role, notices from panel.start_notice_mail()`

/** Records that the relay has accepted a mail, or why not. */
export const endNoticeMail = (db: Db, id: string, error: string | null) =>
  run(db)`select panel.end_notice_mail(${id}, ${error})`

/** Returns the subject and text of a mail; undefined if it has no notice any more. */
export function writeMail(
  { name, role, notices }: NoticeMail,
  { baseUrl, serverName }: { baseUrl: string; serverName: string },
): { subject: string; text: string } | undefined {
  // A kind that a later release had is left out after a rollback.
  const known = notices.flatMap(({ kind, content }) => {
    const found = (noticeKinds as Record<string, NoticeKind>)[kind]
    return found === undefined ? [] : [{ ...found, content }]
  })
  const [first] = known
  if (first === undefined) return undefined
  const isOne = known.length === 1
  const parts = known.slice(0, maxNotices).map(({ words, content }) => {
    const { sentence, path } = words(content, role)
    const address = path === undefined ? '' : `\n${baseUrl}${path}`
    return `${isOne ? '' : '- '}${sentence}${address}`
  })
  const more = known.length - maxNotices
  if (more > 0) parts.push(`- and ${more} more`)
  const choices = role === 'customer' ? '/account/security/notices' : '/my-account/notices'
  return {
    subject: isOne ? first.subject(first.content) : `${known.length} notices from ${serverName}`,
    text: `Hello ${name},

${parts.join('\n\n')}

--${' '}
You get this as ${name} on ${serverName}. Choose your notices here:
${baseUrl}${choices}
`,
  }
}

// More would not be read to the end.
const maxNotices = 100
