import { join } from 'node:path'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import t from 'tap'
import { untilDatabaseAnswers } from '../../src/install/update/database-answers.ts'
import { database } from '../support/database.ts'

t.test('the way back waits for a database that is not up yet', async t => {
  const { url } = await database(t)
  // Short, as addresses of sockets have to be.
  const folder = mkdtempSync(join(tmpdir(), 'panel-late-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const late = new URL(url)
  const name = '.s.PGSQL.5432'
  const socket = join(decodeURIComponent(late.hostname), name)
  late.hostname = encodeURIComponent(folder)
  const waiting = untilDatabaseAnswers(late.href, { attempts: 100, everyMs: 50 })
  setTimeout(() => symlinkSync(socket, join(folder, name)), 200)
  await t.resolves(waiting)
})

t.test('an update waits up to its limit, and only for errors that may pass', async t => {
  const { url } = await database(t)
  const missing = 'postgresql://127.0.0.1:1/panel'
  await t.rejects(untilDatabaseAnswers(missing, { attempts: 2, everyMs: 10 }), {
    code: 'ECONNREFUSED',
  })
  const unknown = new URL(url)
  unknown.pathname += '_is_not_there'
  // invalid_catalog_name
  await t.rejects(untilDatabaseAnswers(unknown.href, { attempts: 1_000, everyMs: 1_000 }), {
    code: '3D000',
  })
})
