import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { type Manifest, signManifest } from '../../src/install/manifest.ts'
import { findRelease } from '../../src/install/update/find-release.ts'
import { findNewer, readNewest } from '../../src/model/server/newest-release.ts'
import { callPanel } from '../support/cli/run-panel.ts'
import { courierOn } from '../support/courier.ts'
import { openPanel } from '../support/panel.ts'
import { until } from '../support/until.ts'

const vendor = generateKeyPairSync('ed25519')
const manifest = (fields: Partial<Manifest> = {}) =>
  signManifest(
    {
      version: '99.1.0',
      architecture: process.arch === 'arm64' ? 'arm64' : 'x64',
      archive: 'panel-99.1.0-linux-x64.tar.xz',
      sha256: 'a'.repeat(64),
      size: 42,
      follows: '0.1.0',
      isReadableByPrevious: true,
      expiresAt: '2099-01-01T00:00:00.000Z',
      notes: 'Better.',
      ...fields,
    },
    vendor.privateKey,
  )

t.test('the courier finds the newest release, and believes no other', async t => {
  const panel = await openPanel(t, { hasWorker: false })
  let text = manifest()
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.end(text)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const keys = [vendor.publicKey]
  await courierOn(t, panel.databaseUrl, {
    findRelease: () => findRelease(`http://127.0.0.1:${port}/stable`, keys),
  })
  const look = async () => {
    const before = asked.length
    await panel.pool.query(
      `select courier_queue.add_job('maintenance/find-update', '{}', job_key => 'find')`,
    )
    t.ok(await until(() => asked.length > before))
  }
  await look()
  t.ok(await until(async () => (await readNewest(panel.pool)).version === '99.1.0'))
  t.equal(asked[0], `/stable/latest-linux-${process.arch}.json`)
  t.equal(await findNewer(panel.pool, '0.1.0'), '99.1.0')
  t.equal(await findNewer(panel.pool, '99.1.0'), null)
  const expired = manifest({ version: '99.2.0', expiresAt: '2020-01-01T00:00:00.000Z' })
  for (const [other, words] of [
    [expired, /expired/],
    ['{}', /not a release manifest/],
  ] as const) {
    text = other
    await look()
    t.ok(await until(async () => words.test((await readNewest(panel.pool)).error ?? '')))
    t.equal((await readNewest(panel.pool)).version, '99.1.0', 'what was found stays')
  }
})

t.test('a checkout is not updated', async t => {
  for (const words of [
    ['update', '--check'],
    ['update', '--yes'],
    ['rollback', '--yes'],
  ]) {
    t.match(await callPanel(words, {}), { code: 1, stderr: /is a checkout/, stdout: '' })
  }
})
