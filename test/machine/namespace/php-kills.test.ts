import { existsSync } from 'node:fs'
import t from 'tap'
import { alice } from '../../support/panel.ts'
import { expectPage, putFile, startServices } from '../machine.ts'
import { addVersion } from '../php-versions.ts'
import { isExecuted, openStagedPanel, plan, uidOf } from '../plans.ts'

// The worker is killed after every step of a change of PHP settings: the next one completes it, and
// the website answers.

startServices('nginx')
const own = addVersion()
const panel = await openStagedPanel(t)
const kim = { ...alice, username: 'kim', domain: 'kim.example' }
const who = '<?php echo ini_get("memory_limit"), " ", ini_get("max_input_vars");'

t.test('a worker killed after any step is succeeded, and PHP has the new settings', async t => {
  const created = await panel.call('POST', '/api/v1/accounts', { body: kim })
  t.equal(created.status, 201, created.text)
  const uid = uidOf('kim')
  await putFile({ uid }, `/home/kim/sites/${kim.domain}/public/who.php`, who)
  const set = async (step: string, ...options: string[]) => {
    plan('kim', { step, how: 'kill', moment: 'after' })
    const result = await panel.site('set', 'kim', kim.domain, ...options, '--json')
    t.equal(result.code, 0, `${step}: ${result.stderr}`)
    t.ok(isExecuted('kim'), step)
  }
  for (const step of ['php', 'websites']) {
    await set(step, '--php-version', '5.9', '--php-memory', '64')
    await expectPage(kim.domain, '/who.php', /^200 64M 5000$/)
    await set(step, '--php-version', own, '--php-input-vars', '1000')
    await expectPage(kim.domain, '/who.php', /^200 64M 1000$/)
    await set(step, '--php-reset')
    await expectPage(kim.domain, '/who.php', /^200 \d+M 5000$/)
    t.notOk(existsSync(`/etc/panel/php/${uid}`), step)
  }
  await set('php', '--php-memory', '64')
  await set('remove former PHP', '--php-reset')
  t.notOk(existsSync(`/etc/panel/php/${uid}`))
  await expectPage(kim.domain, '/who.php', /^200 \d+M 5000$/)
})
