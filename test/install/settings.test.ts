import t from 'tap'
import { withSettings } from '../../src/install/settings.ts'

const text = `# Ours
PANEL_HOSTNAME="panel.example.com"
PANEL_BASE_URL=https://panel.example.com:8443
`

t.test('equal settings stay as they were written', async t => {
  t.equal(withSettings(text, { PANEL_HOSTNAME: 'panel.example.com' }), text)
})

t.test('a value that is a part of the one before is another', async t => {
  const desired = { PANEL_HOSTNAME: 'example.com', PANEL_LICENSE: '/etc/panel/license' }
  t.equal(
    withSettings(text, desired),
    `# Ours
PANEL_HOSTNAME=example.com
PANEL_BASE_URL=https://panel.example.com:8443
PANEL_LICENSE=/etc/panel/license
`,
  )
})
