import t from 'tap'
import { type BackupWarning, showWarnings } from '../../src/model/server/backup-warnings.ts'

t.test('each warning of a backup has its code and a sentence', async t => {
  const dump = 'databases/alice_shop.sql'
  const shown: [row: BackupWarning, message: string][] = [
    [{ code: 'files_not_read' }, 'Some files could not be read'],
    [{ code: 'special_files_left_out', count: 3 }, 'Pipes, sockets and devices (3) were left out'],
    [{ code: 'dump_without_resource', dump }, `${dump}: the account no longer has what it is of`],
    [{ code: 'statement_refused', dump, detail: 'ERROR 1064' }, `${dump}: ERROR 1064`],
    [
      { code: 'databases_not_included', count: 2 },
      'Account databases (2) are not included: back up each with panel database export',
    ],
    [{ code: 'nested_too_deep', path: 'a/b' }, 'a/b…: files nested too deep are left out'],
    [{ code: 'file_left_out', detail: 'tar: a: too long' }, 'tar: a: too long'],
  ]
  for (const [row, message] of shown) {
    t.strictSame(showWarnings([row]), [{ code: row.code, message }])
  }
})

t.test('a warning of another release is shown by its code', async t => {
  const row = { code: 'moon_left_out', count: 1 }
  t.strictSame(showWarnings([row]), [{ code: 'moon_left_out', message: 'moon_left_out' }])
})
