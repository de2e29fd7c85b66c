import { gzipSync } from 'node:zlib'
import {
  type Contents,
  type ListedFile,
  type ListedMailbox,
  toLine,
} from '../../model/account-backups/file-list.ts'
import { homeOf } from '../accounts/users.ts'
import type { Machine, Resource } from '../contract.ts'
import { spoolOf } from './paths.ts'
import type { ListWriter } from './restic.ts'

// Collects what people may choose from a snapshot, while its list is read back.

/** Opens a list for the snapshot of one account. */
export function openFileList(
  machine: Machine,
  { username, uid }: { username: string; uid: number },
  resource: Resource | undefined,
): ListWriter {
  const home = `${machine.path(homeOf(username))}/`
  const spool = `${machine.path(spoolOf(uid))}/`
  const folder = resource?.folderOf && `${machine.path(resource.folderOf(uid))}/`
  const databases: Contents['databases'] = []
  const mailboxes = new Map<string, ListedMailbox>()
  const members: Buffer[] = []
  let text = ''
  // Members of gzip one after the other are one file: the list of a large home takes little memory.
  const flush = () => {
    members.push(gzipSync(text, { level: 3 }))
    text = ''
  }
  return {
    add({ type, path, size: bytes = 0, mtime }) {
      if (path.startsWith(home)) {
        const own = path.slice(home.length)
        if (!/^(sites|files)(\/|$)/.test(own)) return
        const modifiedAt = Math.floor(Date.parse(mtime ?? '') / 1_000) || 0
        text += toLine({ type: typeOf(type), bytes, modifiedAt, path: own })
        if (text.length > chunkLength) flush()
      } else if (path.startsWith(spool)) {
        const database = dumpName.exec(path.slice(spool.length))?.[1]
        if (database !== undefined && type === 'file') databases.push({ database, bytes })
      } else if (folder !== undefined && path.startsWith(folder)) {
        const mailbox = resource?.parts?.partOf(path.slice(folder.length))
        if (mailbox === undefined) return
        const sum = mailboxes.get(mailbox) ?? { mailbox, files: 0, bytes: 0 }
        mailboxes.set(mailbox, sum)
        if (type !== 'file') return
        sum.files += 1
        sum.bytes += bytes
      }
    },
    end() {
      flush()
      return {
        contents: { databases, mailboxes: [...mailboxes.values()] },
        list: Buffer.concat(members),
      }
    },
  }
}

const dumpName = /^databases\/(.+)\.sql$/

const chunkLength = 1_000_000

function typeOf(type: string): ListedFile['type'] {
  if (type === 'dir') return 'folder'
  if (type === 'symlink') return 'link'
  return type === 'file' ? 'file' : 'other'
}
