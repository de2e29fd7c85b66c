import t from 'tap'
import { panelFor } from '../support/cli/run-panel.ts'

const { pool, panel } = await panelFor(t)
const demanded = async () => (await panel(['ctl', 'demand-2fa', '--json'])).json().demanded

t.test('root shows and changes whether operators need a second factor', async t => {
  t.equal(await demanded(), false)
  t.match((await panel(['ctl', 'demand-2fa', '--on', '--json'])).json(), { demanded: true })
  t.equal(await demanded(), true)
  t.equal((await panel(['ctl', 'demand-2fa', '--off'])).code, 0)
  t.equal(await demanded(), false)
  t.match(await panel(['ctl', 'demand-2fa', '--on', '--off']), { code: 2, stderr: /either/ })
  const { rows } = await pool.query(
    `select about from panel.history where action = 'settings/demand-second-factor' order by id`,
  )
  t.strictSame(rows, [{ about: 'yes' }, { about: 'no' }])
})
