import { dirname } from 'node:path'
import t from 'tap'
import { callPanel } from '../../support/cli/run-panel.ts'
import { asUser, visit } from '../machine.ts'
import { openWebsites } from '../served.ts'
import { tendHomes } from '../tend.ts'

// The files of another document root, which may be anywhere in the home.

const { panel, uidOf, set } = await openWebsites(t)
const as = async (script: string) => {
  const { code, stderr } = await asUser(uidOf('eve'), ['sh', '-ec', `cd /home/eve; ${script}`])
  if (code !== 0) throw new Error(`${script}: ${stderr}`)
}
const say = (...words: string[]) =>
  callPanel(words, {
    DATABASE_URL: panel.databaseUrl,
    PANEL_HOST: 'linux',
    PANEL_STATE_DIR: dirname(panel.root),
  })
const statusOf = async (path: string) => (await visit('eve.example', path)).status

t.test('access to its files is repaired, wherever a link leads', async t => {
  const release = '/home/eve/files/rel'
  await as(`mkdir -p ${release}/public/in; ln -s ../../files/rel sites/eve.example/current
    echo it | tee ${release}/public/page >${release}/public/in/page`)
  await set('--document-root', 'current/public')
  t.equal(await statusOf('/in/page'), 200)
  const repairs = [() => say('ctl', 'rebuild', 'eve'), () => tendHomes(panel)]
  for (const shut of [`${release}/public/in/page`, `${release}/public/in`, release]) {
    for (const repair of repairs) {
      await as(`setfacl -b ${shut}; chmod g+rX,o= ${shut}`)
      t.not(await statusOf('/in/page'), 200, shut)
      await repair()
      for (const path of ['/page', '/in/page']) t.equal(await statusOf(path), 200, shut)
    }
  }
})
