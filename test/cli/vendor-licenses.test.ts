import { execFileSync } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { scratch } from '../support/scratch.ts'
import { panelFor, callPanel } from '../support/cli/run-panel.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/vendor-licenses.md'), 'utf8')

t.test('the programs of docs/vendor-licenses.md make a license that installs', async t => {
  const { pool, environment } = await panelFor(t)
  const { rows } = await pool.query('select id from panel.server')
  const folder = scratch(t)
  const run = (line: string): string => {
    const [node, program = '', ...words] = line.split(' ')
    t.equal(node, 'node')
    return execFileSync(process.execPath, [join(folder, program), ...words], {
      cwd: folder,
      encoding: 'utf8',
    })
  }
  for (const [, name = '', program = ''] of page.matchAll(/`(\S+\.mjs)`:\n\n```js\n(.*?)```/gs)) {
    writeFileSync(join(folder, name), program)
  }
  const [make = '', signing = ''] = [...page.matchAll(/^node .*$/gm)].map(match => match[0])

  const key = run(make).trim()
  t.equal(statSync(join(folder, 'vendor.pem')).mode & 0o777, 0o600)
  const [line = '', file = ''] = signing.replace('SERVER_ID', rows[0].id).split(' > ')
  writeFileSync(join(folder, file), run(line))

  const own = { ...environment, PANEL_LICENSE_KEY: key }
  const installed = await callPanel(['license', 'install', join(folder, file)], own)
  t.match(installed, { code: 0, stderr: '' })
  const shown = await callPanel(['license', 'show', '--json'], own)
  t.match(shown.json(), {
    plan: 'business',
    max_accounts: 500,
    server_id: rows[0].id,
    expires_at: '2099-12-31T00:00:00.000Z',
    is_valid: true,
  })
  // The built-in key is the vendor's, not this one.
  const refused = await callPanel(['license', 'install', join(folder, file)], environment)
  t.match(refused, { code: 1, stderr: /not signed by the vendor/ })
})
