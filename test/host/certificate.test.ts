import { X509Certificate } from 'node:crypto'
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { apply, erase } from '../../src/host/apply.ts'
import { listDrift, takeSnapshot } from '../../src/host/drift.ts'
import { certificatesOf } from '../../src/host/web/certificate.ts'
import { clearWebsites } from '../../src/host/web/websites.ts'
import { makeRequest } from '../../src/host/web/certificate-request.ts'
import type { Machine } from '../../src/host/contract.ts'
import { prepare } from '../../src/host/shared.ts'
import type { Observe } from '../../src/model/server/host.ts'
import { makeAuthority } from '../support/authority.ts'
import { alice, bob, sandbox, straight, tree } from '../support/host/sandbox.ts'

const authority = await makeAuthority()
const siteId = '7'
const names = ['alice.example', 'www.alice.example']
const folder = '/var/lib/panel/certificates/7'
const web = '/var/lib/panel/web'
const file = `${web}/certs/0000000007.pem`

// Asks for a certificate and has it served, as the worker does.
async function certify(machine: Machine, observe: Observe = straight, account = alice) {
  const host = certificatesOf(machine)
  const request = await host.requestCertificate(account, { siteId, names }, observe)
  const chain = await authority.signRequest(request)
  return {
    chain,
    issued: await host.installCertificate(account, { siteId, names, chain }, observe),
  }
}

async function withAlice(t: Test) {
  const box = await sandbox(t)
  await apply(box.machine, alice, straight)
  const read = (path: string) => readFileSync(box.machine.path(path), 'utf8')
  const served = () => {
    const path = box.machine.path(`${web}/tls/alice.example`)
    return existsSync(path) ? new X509Certificate(readFileSync(path)) : undefined
  }
  return { ...box, read, served }
}

t.test('a certificate is served together with its key, which only root may read', async t => {
  const { machine, read, served } = await withAlice(t)
  t.equal(served(), undefined)
  t.strictSame(certificatesOf(machine).listServed(), [])
  const { chain, issued } = await certify(machine)
  t.equal(issued.issuer, 'Test Authority')
  t.strictSame(certificatesOf(machine).listServed(), [siteId])
  t.strictSame(served()?.raw, new X509Certificate(chain).raw)
  for (const name of names) {
    t.equal(readlinkSync(machine.path(`${web}/tls/${name}`)), '../certs/0000000007.pem')
  }
  t.match(read(file), /^-----BEGIN PRIVATE KEY-----/)
  const modeOf = (path: string) => lstatSync(machine.path(path)).mode & 0o777
  t.equal(modeOf(file), 0o640)
  t.equal(modeOf(`${web}/certs`), 0o710)
  t.equal(modeOf(`${folder}/served.pem`), 0o600)
  t.equal(modeOf(folder), 0o700)
  t.equal(modeOf('/var/lib/panel/certificates'), 0o700)
})

t.test('a certificate is served over a suspension, and neighbours have none', async t => {
  const { machine, served } = await withAlice(t)
  const switched = () => readlinkSync(machine.path(`${web}/sites/0000000007`))
  await certify(machine)
  const suspended = { ...alice, desired: 'suspended' as const }
  await apply(machine, suspended, straight)
  t.ok(served())
  await certify(machine, straight, suspended)
  t.match(switched(), /suspended/, 'renewed, it is suspended still')
  await apply(machine, alice, straight)
  t.match(switched(), /live/)
  t.ok(served())
  await apply(machine, bob, straight)
  t.notOk(existsSync(machine.path(`${web}/tls/bob.example`)))
})

t.test('with https alone there is no way by http, once there is a certificate', async t => {
  const { machine } = await withAlice(t)
  const live = machine.path(`${web}/live/0000000007`)
  const isThere = (name: string) => readdirSync(live).includes(name)
  const [site] = alice.sites
  const alone = { ...alice, sites: [{ ...site!, settings: { https_only: true as const } }] }
  const drift = async (account: typeof alice) =>
    listDrift((await takeSnapshot(machine)).driftOf(account))
  await apply(machine, alone, straight)
  t.strictSame([isThere('http'), isThere('https-only')], [true, false], 'nowhere to send to')
  await certify(machine, straight, alone)
  t.strictSame([isThere('http'), isThere('https-only')], [false, true])
  t.strictSame(await drift(alone), [])
  t.ok((await drift(alice)).length > 0)
  await apply(machine, alice, straight)
  t.strictSame([isThere('http'), isThere('https-only')], [true, false])
  t.ok((await drift(alone)).length > 0)
  await clearWebsites(machine, alone)
  t.notOk(existsSync(live))
})

t.test(
  'a renewed certificate takes the place of the old one, of which nothing is left',
  async t => {
    const { machine, read, served } = await withAlice(t)
    const old = await certify(machine)
    const key = read(`${folder}/request.key`)
    const before = served()
    const { chain } = await certify(machine)
    t.strictSame(served()?.raw, new X509Certificate(chain).raw)
    t.notSame(served()?.raw, before?.raw)
    t.notMatch(tree(machine.path(folder)), old.chain)
    t.strictSame(readdirSync(machine.path(folder)).sort(), ['request.key', 'served.pem'])
    t.equal(read(`${folder}/request.key`), key, 'so that no handshake sees two')
    t.equal(read(file), read(`${folder}/served.pem`))
  },
)

t.test('an invalid configuration is not even written', async t => {
  const { machine, root, served } = await withAlice(t)
  const { chain } = await certify(machine)
  const host = certificatesOf(machine)
  const request = await host.requestCertificate(alice, { siteId, names }, straight)
  const { request: strange } = await makeRequest(names, undefined)
  const before = tree(root)
  const install = (bad: string) =>
    host.installCertificate(alice, { siteId, names, chain: bad }, straight)
  await t.rejects(install(await authority.signRequest(strange)), /another key/)
  await t.rejects(
    install(await authority.signRequest(request, { toDay: -1, fromDay: -2 })),
    /expired/,
  )
  await t.rejects(
    host.installCertificate(bob, { siteId, names, chain }, straight),
    /no website 7/,
    'another account’s website',
  )
  await t.rejects(
    host.requestCertificate(alice, { siteId, names: ['bob.example'] }, straight),
    /do not belong to alice\.example/,
  )
  t.strictSame(tree(root), before)
  t.ok(served())
})

t.test('killed before or after any step it is done by the next run', async t => {
  const box = await withAlice(t)
  const steps: string[] = []
  await certify(box.copy().machine, async (step, run) => {
    steps.push(step)
    await run()
  })
  t.strictSame(steps, ['write key', 'write certificate', 'serve certificate'])
  for (const fatal of steps) {
    for (const isBefore of [true, false]) {
      const { machine, root } = box.copy()
      const dying: Observe = async (step, run) => {
        if (step !== fatal || !isBefore) await run()
        if (step === fatal) throw new Error('killed')
      }
      await t.rejects(certify(machine, dying), /killed/)
      await prepare(machine)
      const { chain } = await certify(machine)
      const pem = readFileSync(join(root, web, 'tls/alice.example'), 'utf8')
      t.strictSame(new X509Certificate(pem).raw, new X509Certificate(chain).raw)
      t.strictSame(readdirSync(join(root, folder)).sort(), ['request.key', 'served.pem'])
    }
  }
})

t.test('the names leave before the certificate, and nothing is left of either', async t => {
  for (const end of [
    (machine: Machine) => apply(machine, { ...alice, desired: 'terminated' }, straight),
    (machine: Machine) => erase(machine, alice, straight),
  ]) {
    const { machine } = await withAlice(t)
    await certify(machine)
    await end(machine)
    for (const path of [folder, file, `${web}/tls/alice.example`]) {
      t.notOk(lstatSync(machine.path(path), { throwIfNoEntry: false }), path)
    }
  }
})
