import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { log } from '../../log.ts'
import type { MailboxSize, MeasurableMailbox } from '../../model/mail/mailbox-sizes.ts'
import type { Machine, MachinePart } from '../contract.ts'
import { isFolder } from '../tools/files.ts'
import { homeOfMailbox } from './paths.ts'

// The size of the messages of mailboxes, as the user that owns them. A mailbox has its messages in
// the folders `cur` and `new` of each of its folders (Maildir).

type Measure = (uid: number, folders: readonly string[]) => Promise<Map<string, number>>

// Long enough for some hundred thousand messages.
const limitMs = 120_000

export const mailboxSizes: MachinePart<Measure> = {
  linux:
    ({ run }) =>
    async (uid, folders) => {
      const bytes = new Map(folders.map(folder => [folder, 0]))
      const onLine = (line: string) => {
        const at = line.indexOf(' ')
        const folder = line.slice(at + 1)
        bytes.set(folder, (bytes.get(folder) ?? 0) + Number(line.slice(0, at)))
      }
      const messages = ['(', '-path', '*/cur/*', '-o', '-path', '*/new/*', ')']
      const args = [...folders, '-type', 'f', ...messages, '-printf', '%s %H\n']
      await run('find', args, { as: uid, onLine, outputLimit: 0, timeoutMs: limitMs })
      return bytes
    },
  sandbox: () => async (_, folders) =>
    new Map(folders.map(folder => [folder, sum(join(folder, 'Maildir'))])),
}

const sum = (folder: string): number =>
  ['cur', 'new']
    .map(name => join(folder, name))
    .filter(isFolder)
    .flatMap(path => readdirSync(path).map(name => statSync(join(path, name)).size))
    .reduce((all, size) => all + size, 0)

/** Measures mailboxes, one account after the other; leaves out those that cannot be measured. */
export async function* measureMailboxes(
  machine: Machine,
  mailboxes: readonly MeasurableMailbox[],
): AsyncGenerator<MailboxSize[]> {
  for (const [uid, own] of Map.groupBy(mailboxes, one => one.uid)) {
    const found = own
      .map(({ id, domain, localPart }) => ({
        id,
        path: machine.path(homeOfMailbox(uid, domain, localPart)),
      }))
      .filter(({ path }) => isFolder(path))
    if (found.length === 0) continue
    try {
      const paths = found.map(({ path }) => path)
      const bytes = await machine.part(mailboxSizes)(uid, paths)
      yield found.map(({ id, path }) => ({ id, bytes: bytes.get(path) ?? 0 }))
    } catch (error) {
      // A message may be moved at this moment, or the account removed.
      log.info("an account's mailboxes are not measured", { uid, error })
    }
  }
}
