import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { inMs, vendor } from '../../support/cli/licenses.ts'
import type { WholePanel } from '../../support/cli/whole-panel.ts'
import type { Staged } from './staged.ts'

// Problems of the settings and the license.

export async function brokenSettings({ stateDir, pool }: WholePanel): Promise<Staged[]> {
  const { rows } = await pool.query('select id from panel.server')
  const { key, license } = vendor()
  const file = join(stateDir, 'license')
  const installed = (fields: object, server_id = rows[0].id) => ({
    environment: { PANEL_LICENSE_KEY: key },
    broken() {
      writeFileSync(file, license({ server_id, expires_at: inMs(3e9), ...fields }))
      return () => rmSync(file)
    },
  })
  return [
    {
      check: 'license/valid',
      state: 'failure',
      words: /for another server/,
      ...installed({}, '00000000-0000-4000-8000-000000000000'),
    },
    {
      check: 'license/valid',
      state: 'failure',
      words: /not a license file/,
      broken() {
        writeFileSync(file, 'nonsense')
        return () => rmSync(file)
      },
    },
    {
      check: 'license/expiry',
      state: 'warning',
      words: /expires in 3 days/,
      ...installed({ expires_at: inMs(3 * 86_400_000) }),
    },
    {
      check: 'license/accounts',
      state: 'warning',
      words: /2 of 2 accounts exist/,
      ...installed({ max_accounts: 2 }),
    },
    {
      check: 'dns/resolver',
      state: 'failure',
      words: /127\.0\.0\.1:1 do not answer/,
      environment: { PANEL_RESOLVER: '127.0.0.1:1' },
    },
    {
      check: 'webhooks/authorities',
      state: 'failure',
      words: /\/nowhere\/ca\.pem cannot be read \(ENOENT\)/,
      environment: { PANEL_WEBHOOK_CA: '/nowhere/ca.pem' },
    },
    {
      check: 'dns/addresses',
      state: 'warning',
      words: /no public address/,
      environment: { PANEL_ADDRESSES: '10.0.0.1,fd00::1' },
    },
    {
      check: 'ports/panel',
      state: 'failure',
      words: /Nothing answers at 127\.0\.0\.1 port 1 \(ECONNREFUSED\)/,
      environment: { PANEL_LISTEN: '127.0.0.1:1' },
    },
    {
      check: 'ports/panel',
      state: 'failure',
      words: /Another program than the panel answers 200/,
      async broken() {
        const other = createServer((_request, response) => response.end('{}'))
        other.listen(join(stateDir, 'other.sock'))
        await once(other, 'listening')
        return () => other.close()
      },
      environment: { PANEL_SOCKET: join(stateDir, 'other.sock') },
    },
    {
      check: 'ports/clear-text',
      state: 'warning',
      words: /unencrypted over the network: http:\/\/panel\.example\.com/,
      environment: { PANEL_BASE_URL: 'http://panel.example.com' },
    },
  ]
}
