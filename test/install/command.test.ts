import t from 'tap'
import { callPanel } from '../support/cli/run-panel.ts'

t.test('a checkout installs and uninstalls nothing', async t => {
  for (const words of [
    ['install', '--yes'],
    ['install', '--dry-run'],
    ['uninstall', '--yes'],
  ]) {
    const result = await callPanel(words, {})
    t.match(result, { code: 1, stderr: /is a checkout: unpack a release/, stdout: '' })
  }
})

t.test('an invalid answer to a question is named, and its value is not shown', async t => {
  const result = await callPanel(
    ['install', '--hostname', 'a b', '--email', 'x', '--admin', '/'],
    {},
  )
  t.match(result, { code: 2, stderr: /--hostname .*--email .*--admin /, stdout: '' })
})
