import { gzipSync } from 'node:zlib'
import t from 'tap'
import {
  type ListedFile,
  listFolder,
  readFileList,
  sumOf,
  toLine,
} from '../../src/model/account-backups/file-list.ts'

// The list of the files of a backup.

const file = (path: string, bytes = 1): ListedFile => ({
  ...({ type: 'file' } as const),
  ...{ path, bytes, modifiedAt: 1_700_000_000 },
})
const folder = (path: string): ListedFile => ({ ...file(path, 0), type: 'folder' })
const listed = (files: ListedFile[]) => readFileList(gzipSync(files.map(toLine).join('')))

t.test('any name comes back from the list', async t => {
  const names = ['a\nb', 'a\\nb', '\\', 'tab\tname', ' ', '--option', '…', '"quoted"', 'a\\\nb']
  const files = names.map(name => file(`files/${name}`))
  t.strictSame(listed(files), files)
})

t.test('members of gzip one after the other are one list', async t => {
  const two = Buffer.concat(['files/a', 'files/b'].map(path => gzipSync(toLine(file(path)))))
  t.strictSame(readFileList(two), [file('files/a'), file('files/b')])
})

t.test('a folder has its own entries, with the sums of those below', async t => {
  const all = listed([
    ...[folder('files'), folder('files/a'), file('files/a/x', 3), folder('files/a/b')],
    ...[file('files/a/b/y', 4), file('files/ab', 5), folder('sites')],
  ])
  t.match(listFolder(all, ''), [
    { name: 'files', type: 'folder', files: 3, bytes: 12 },
    { name: 'sites', type: 'folder', files: 0, bytes: 0 },
  ])
  t.match(listFolder(all, 'files'), [
    { name: 'a', type: 'folder', files: 2, bytes: 7 },
    { name: 'ab', type: 'file', files: 1, bytes: 5 },
  ])
  t.equal(listFolder(all, 'files/none'), undefined)
  t.equal(listFolder(all, 'files/ab'), undefined, 'a file is no folder')
  t.strictSame(sumOf(all, 'files/a'), { type: 'folder', files: 2, bytes: 7 })
  t.strictSame(sumOf(all, 'files/ab'), { type: 'file', files: 1, bytes: 5 })
  t.equal(sumOf(all, 'files/none'), undefined)
})
