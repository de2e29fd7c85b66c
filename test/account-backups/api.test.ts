import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createToken } from '../../src/model/signing-in/tokens.ts'
import { alice, openPanel } from '../support/panel.ts'

// Backups of accounts by the API, with a stand-in for restic.

const panel = await openPanel(t)
const at = (path: string): string => join(panel.root, path)
mkdirSync(at('usr/local/sbin'), { recursive: true })
mkdirSync(at('mnt/backups'), { recursive: true })
symlinkSync(join(import.meta.dirname, '../support/docs/restic.sh'), at('usr/local/sbin/restic'))
const hosting = { owner: 'admin', name: 'H', permission: 'Provisioning and hosting' } as const
const { token } = await createToken(panel.pool, hosting)
const call = (method: string, path: string, body?: object) =>
  panel.call(method, `/api/v1${path}`, { token, ...(body && { body }) })
const folder = { kind: 'folder', path: '/mnt/backups' }
await panel.call('PUT', '/api/v1/packages/starter', { body: { backups: 'none' } })
t.equal((await panel.call('POST', '/api/v1/accounts', { body: alice })).status, 201)

t.test('a token for provisioning only may not', async t => {
  for (const path of ['/backup-targets', `/accounts/${alice.username}/backups`]) {
    t.equal((await panel.call('GET', `/api/v1${path}`)).status, 403, path)
  }
})

t.test('an address outside of the grammar is refused', async t => {
  const answer = await call('PUT', '/backup-targets/disk', {
    address: { kind: 'folder', path: '/home/alice' },
  })
  t.match(answer, { status: 400, body: { error: /folder of the system or of accounts/ } })
  t.equal((await call('PUT', '/backup-targets/A', { address: folder })).status, 400)
})

t.test('credentials are needed, never shown, and kept for the same server only', async t => {
  const s3 = { kind: 's3', url: 'https://s3.example.com', bucket: 'panel', access_key: 'A' }
  const without = await call('PUT', '/backup-targets/s3', { address: s3, credentials: '' })
  t.match(without, { status: 400, body: { error: /needs its credentials/ } })
  const credentials = 'very secret key'.replaceAll(' ', '-')
  const added = await call('PUT', '/backup-targets/s3', { address: s3, credentials })
  t.match(added, { status: 200, body: { address: { prefix: null, region: null } } }, added.text)
  t.equal((await call('PUT', '/backup-targets/s3', { address: s3 })).status, 200)
  const other = { ...s3, url: 'https://s3.example.net' }
  t.equal((await call('PUT', '/backup-targets/s3', { address: other })).status, 400)
  const listed = await call('GET', '/backup-targets')
  t.match(listed.body, { targets: [{ name: 's3', repositories: 0 }] })
  t.notMatch(listed.text, credentials)
  const removed = await call('DELETE', '/backup-targets/s3')
  t.match(removed, { status: 200, body: { address: { kind: 's3' } } })
  t.equal((await call('DELETE', '/backup-targets/s3')).status, 404)
})

t.test('a backup of another account is unknown', async t => {
  t.equal((await call('PUT', '/backup-targets/disk', { address: folder })).status, 200)
  const made = await call('POST', `/accounts/${alice.username}/backups`)
  t.match(made, { status: 201, body: { state: 'ready' } }, made.text)
  const other = { ...alice, username: 'bob', domain: 'bob.example', email: 'bob@example.com' }
  t.equal((await panel.call('POST', '/api/v1/accounts', { body: other })).status, 201)
  t.equal((await call('GET', `/accounts/bob/backups/${made.body.id}`)).status, 404)
  t.strictSame((await call('GET', '/accounts/bob/backups')).body, { backups: [] })
})
