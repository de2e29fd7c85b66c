import t from 'tap'
import { panelFor } from '../support/cli/run-panel.ts'

const { pool, panel } = await panelFor(t)
const run = async (...words: string[]) =>
  (await panel(['ctl', 'support-contact', ...words, '--json'])).json()

t.test('root shows, sets and removes the contact for people who cannot sign in', async t => {
  t.strictSame(await run(), { support_contact: null })
  t.strictSame(await run('--set', ' +49 30 1 '), { support_contact: '+49 30 1' })
  t.strictSame(await run(), { support_contact: '+49 30 1' })
  for (const wrong of ['', 'a\nb', 'x'.repeat(201), 'a\u202eb']) {
    const { code, stderr } = await panel(['ctl', 'support-contact', '--set', wrong])
    t.equal(code, 2, wrong)
    t.match(stderr, /The contact must /)
  }
  t.strictSame(await run('--clear'), { support_contact: null })
  const { rows } = await pool.query(
    `select about from panel.history where action = 'settings/support-contact' order by id`,
  )
  t.strictSame(rows, [{ about: '+49 30 1' }, { about: null }])
})
