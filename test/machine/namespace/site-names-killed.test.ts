import { existsSync } from 'node:fs'
import t from 'tap'
import { alice } from '../../support/panel.ts'
import { runPanel } from '../../support/cli/run-panel.ts'
import { expectPage, startServices } from '../machine.ts'
import { isExecuted, openStagedPanel, plan } from '../plans.ts'

// The worker is killed while aliases are added and removed: the next one completes the change, or
// takes it back, and no name is left over.

startServices('nginx')
const panel = await openStagedPanel(t)
const nora = { ...alice, username: 'nora', domain: 'nora.example' }
const isLinked = (name: string) => existsSync(`/var/lib/panel/web/names/${name}`)
const set = (...options: string[]) => panel.site('set', 'nora', nora.domain, ...options, '--json')

t.test('a worker killed in any change of names is succeeded', async t => {
  const created = await panel.call('POST', '/api/v1/accounts', { body: nora })
  t.equal(created.status, 201, created.text)
  for (const moment of ['before', 'after'] as const) {
    const act = async (...options: string[]) => {
      plan('nora', { step: 'websites', how: 'kill', moment })
      const result = await set(...options)
      t.equal(result.code, 0, `${moment}: ${result.stderr}`)
      t.ok(isExecuted('nora'), moment)
    }
    await act('--alias', 'one.example', '--alias', 'two.example')
    for (const name of ['one.example', 'www.one.example', 'two.example']) {
      await expectPage(name, '/', /^200 .*This website is ready/s)
    }
    await act('--alias', 'three.example', '--remove-alias', 'one.example')
    await expectPage('three.example', '/', /^200 /)
    await expectPage('one.example', '/', /^421 /)
    t.notOk(isLinked('www.one.example'))
    await act('--name-redirect', 'three.example=https://new.example')
    await expectPage('three.example', '/', /^301 /)
    await act('--remove-alias', 'two.example', '--remove-alias', 'three.example')
    await expectPage('three.example', '/', /^421 /)
  }
})

t.test('a worker killed in the undo of a change leaves no name', async t => {
  for (const moment of ['before', 'after'] as const) {
    plan(
      'nora',
      { step: 'websites', how: 'fail', moment: 'after' },
      { step: 'websites', how: 'kill', moment },
    )
    const failed = await set('--alias', 'lost.example')
    t.equal(failed.code, 1, `${moment}: ${failed.stdout}`)
    t.ok(isExecuted('nora'), moment)
    await expectPage('lost.example', '/', /^421 /)
    t.notOk(isLinked('lost.example'))
    const { rows } = await panel.pool.query(
      `select name from panel.site_names where name like '%lost%'
       union all select name from panel.site_aliases`,
    )
    t.strictSame(rows, [])
  }
  await expectPage(nora.domain, '/', /^200 /)
})

t.test('a rebuild puts names right', async t => {
  t.equal((await set('--alias', 'one.example')).code, 0)
  const rebuild = (...words: string[]) =>
    runPanel(['ctl', 'rebuild', ...words], {
      ...{ DATABASE_URL: panel.databaseUrl, PANEL_HOST: 'linux' },
      PANEL_STATE_DIR: '/tmp/rebuild-state',
    })
  const web = '/var/lib/panel/web/names'
  const { rmSync, symlinkSync, readlinkSync } = await import('node:fs')
  const target = readlinkSync(`${web}/nora.example`)
  rmSync(`${web}/www.one.example`)
  symlinkSync(target, `${web}/foreign.example`)
  t.match((await rebuild('--dry-run')).stdout, /www\.one\.example/)
  const done = await rebuild()
  t.equal(done.code, 0, done.stderr)
  await expectPage('www.one.example', '/', /^200 /)
  t.notOk(isLinked('foreign.example'), 'a name that no row has')
  t.equal((await rebuild('--dry-run')).stdout, '')
})
