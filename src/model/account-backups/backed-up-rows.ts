import { z } from 'zod'
import { hostPartsOf, hostShape, type HostRows } from '../operations/resource-kinds.ts'

// The rows that a backup has of an account (`account.json`): a restore makes a database or a
// mailbox again with them that was deleted since. They have hashes of passwords.

/** Returns the dump of a database, as the row of a backup names it. */
export const dumpOf = (database: string): string => `databases/${database}.sql`

const Content = z.object({
  format: z.literal(1),
  account: z.custom<HostRows>(rows => typeof rows === 'object'),
  parts: z.record(z.string(), z.unknown()),
})

const Parts = z.object({ databases: hostShape.databases, mail: hostShape.mail })

/** Databases with their users, and mailboxes. */
export type BackedUpRows = {
  databases: string[]
  users: { name: string; hash: string; grants: { database: string; rights: 'all' | 'read' }[] }[]
  mailboxes: {
    domain: string
    local_part: string
    hash: string
    quota_mb: number
    autoresponder: unknown
  }[]
}

export type Chosen = { mailboxes: readonly string[]; dumps: readonly string[] }

/**
 * Selects the rows of what a restore brings back.
 *
 * @throws if a row is invalid, or its name is another account's
 */
export function selectRows(text: string, username: string, chosen: Chosen): BackedUpRows {
  const { account, parts } = Content.parse(JSON.parse(text))
  const { databases: found, mail = [] } = Parts.parse(hostPartsOf(account, parts, username))
  const isChosen = (name: string) => chosen.dumps.includes(dumpOf(name))
  const databases = (found?.databases ?? []).map(({ name }) => name).filter(isChosen)
  const users = (found?.users ?? []).flatMap(({ name, hash, grants }) => {
    const own = grants.filter(({ database }) => databases.includes(database))
    return own.length === 0 ? [] : [{ name, hash, grants: own }]
  })
  const mailboxes = mail.flatMap(({ domain, mailboxes: all }) =>
    all
      .filter(({ localPart, desired }) => {
        return desired === 'present' && chosen.mailboxes.includes(`${localPart}@${domain}`)
      })
      .map(({ localPart, hash, quotaMb, autoresponder }) => ({
        ...{ domain, local_part: localPart, hash, quota_mb: quotaMb, autoresponder },
      })),
  )
  return { databases, users, mailboxes }
}
