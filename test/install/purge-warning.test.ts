import { join } from 'node:path'
import t from 'tap'
import { purgeWarning } from '../../src/install/purge-warning.ts'
import { removalSteps } from '../../src/install/uninstall.ts'
import { callPanel } from '../support/cli/run-panel.ts'

t.test('the question about a purge names the backups that go with it', async t => {
  const backups = { 'panel-1.tar.age': '', 'panel-2.tar.age': '', '.panel-0a.age.new': '' }
  const stateDir = t.testdir({ backups })
  t.match(purgeWarning(stateDir), `the 2 backups in ${join(stateDir, 'backups')}: first copy`)
  t.equal(purgeWarning(t.testdir({})), 'All accounts and their homes will be deleted.')
})

t.test('the step that removes them and the help name them', async t => {
  const { does } = removalSteps(true).find(({ name }) => name === 'state') ?? {}
  t.match(does, 'with the backups in it')
  t.match((await callPanel(['uninstall', '--help'], {})).stdout, /backups in\s+\/var\/lib\/panel/)
})
