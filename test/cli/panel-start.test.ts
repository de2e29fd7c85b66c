import t from 'tap'
import { start } from '../start/fixtures/panel.ts'
import { scratch } from '../start/fixtures/scratch.ts'
import { runPanel } from './fixtures/run-panel.ts'

// Real processes, on a machine that may be busy with other tests.
t.setTimeout(120_000)

t.test('commands find the panel that panel start runs, and its license', async t => {
  const stateDir = scratch(t)
  const started = start(t, stateDir)
  await started.ready()
  const [, baseUrl = ''] = /The panel is ready: (\S+)/.exec(started.stdout()) ?? []
  const environment = { PANEL_STATE_DIR: stateDir }

  const shown = await runPanel(['license', 'show', '--json'], environment)
  t.match(shown.json(), { plan: 'development', is_valid: true })
  const words = ['token', 'create', '--owner', 'admin', '--allow', '127.0.0.1', '--json']
  const { token } = (await runPanel(words, environment)).json()
  const answer = await fetch(`${baseUrl}/api/v1/packages`, {
    headers: { authorization: `Bearer ${token}` },
  })
  t.equal(answer.status, 200)

  await started.stop('SIGTERM')
  const after = await runPanel(words, environment)
  t.match(after, {
    code: 1,
    stdout: '',
    stderr: /database cannot be reached.*panel start running\?/,
  })
})
