import t from 'tap'
import { panelFor } from '../support/cli/run-panel.ts'

const { pool, panel } = await panelFor(t)

t.test('a backup that fails is recorded for notices', async t => {
  const words = ['backup', 'create', '--output', '/nowhere/at/all/panel.age', '--passphrase-stdin']
  const { code } = await panel(words, 'correct horse battery staple\n')
  t.not(code, 0)
  const found = async () =>
    (await pool.query(`select key from panel.find_notice_causes(null) where kind = 'backup'`)).rows
  t.strictSame(await found(), [{ key: 'backup' }])
  await pool.query(
    `insert into panel.backups (id, path, bytes, started_at, duration_ms, release)
     values (gen_random_uuid(), '/x', 1, now(), 1, '0.1.0')`,
  )
  t.strictSame(await found(), [])
})
