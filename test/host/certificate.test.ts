import { X509Certificate } from 'node:crypto'
import { existsSync, lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { apply, erase } from '../../src/host/apply.ts'
import { certificatesOf } from '../../src/host/web/certificate.ts'
import type { Machine } from '../../src/host/contract.ts'
import { prepare } from '../../src/host/shared.ts'
import type { Observe } from '../../src/model/host.ts'
import { makeAuthority } from '../authority.ts'
import { alice, bob, sandbox, straight, tree } from './fixtures/sandbox.ts'

const authority = await makeAuthority()
const siteId = '7'
const names = ['alice.example', 'www.alice.example']
const folder = '/var/lib/panel/certificates/7'
const vhost = '/etc/nginx/panel/sites/7.conf'

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
    const path = /ssl_certificate (.*);/.exec(read(vhost))?.[1] ?? ''
    return path === '' ? undefined : new X509Certificate(read(path))
  }
  return { ...box, read, served }
}

t.test('a certificate is served together with its key, which only root may read', async t => {
  const { machine, read, served } = await withAlice(t)
  t.notMatch(read(vhost), /tls|ssl/)
  t.strictSame(certificatesOf(machine).listServed(), [])
  const { chain, issued } = await certify(machine)
  t.equal(issued.issuer, 'Test Authority')
  t.strictSame(certificatesOf(machine).listServed(), [siteId])
  t.strictSame(served()?.raw, new X509Certificate(chain).raw)
  const file = /ssl_certificate_key (.*);/.exec(read(vhost))?.[1] ?? ''
  t.match(read(vhost), `ssl_certificate ${file};`)
  t.match(read(vhost), 'include /etc/nginx/panel/tls.conf;')
  t.match(read(file), /^-----BEGIN PRIVATE KEY-----/)
  t.equal(lstatSync(machine.path(file)).mode & 0o777, 0o600)
  t.equal(lstatSync(machine.path(folder)).mode & 0o777, 0o700)
  t.equal(lstatSync(machine.path('/var/lib/panel/certificates')).mode & 0o777, 0o700)
})

t.test('it goes on being served suspended and unsuspended, and neighbours have none', async t => {
  const { machine, read } = await withAlice(t)
  await certify(machine)
  await apply(machine, { ...alice, wanted: 'suspended' }, straight)
  t.match(read(vhost), /return 503;/)
  t.match(read(vhost), /ssl_certificate /)
  await certify(machine, straight, { ...alice, wanted: 'suspended' })
  t.match(read(vhost), /return 503;/, 'renewed, it is suspended still')
  await apply(machine, alice, straight)
  t.match(read(vhost), /ssl_certificate /)
  await apply(machine, bob, straight)
  t.notMatch(read('/etc/nginx/panel/sites/8.conf'), /ssl/)
})

t.test(
  'a renewed certificate takes the place of the old one, of which nothing is left',
  async t => {
    const { machine, read, served } = await withAlice(t)
    const old = await certify(machine)
    const before = served()
    const { chain } = await certify(machine)
    t.strictSame(served()?.raw, new X509Certificate(chain).raw)
    t.notSame(served()?.raw, before?.raw)
    t.notMatch(tree(machine.path(folder)), old.chain)
    t.equal(readdirSync(machine.path(folder)).filter(name => name.endsWith('.pem')).length, 1)
    t.match(read(vhost), /ssl_certificate /)
  },
)

t.test('what nginx refuses never goes live, and what was served before stays', async t => {
  const { machine, served, standIn } = await withAlice(t)
  await certify(machine)
  const before = served()?.raw
  standIn('nginx', 'echo bad certificate >&2; exit 1')
  await t.rejects(certify(machine), /bad certificate/)
  t.strictSame(served()?.raw, before)
  standIn('nginx')
  await apply(machine, alice, straight)
  t.strictSame(served()?.raw, before)
})

t.test('what does not pass is not even written', async t => {
  const { machine, root, served } = await withAlice(t)
  const { issued: _, chain } = await certify(machine)
  const host = certificatesOf(machine)
  const request = await host.requestCertificate(alice, { siteId, names }, straight)
  const before = tree(root)
  const install = (bad: string) =>
    host.installCertificate(alice, { siteId, names, chain: bad }, straight)
  await t.rejects(install(chain), /another key/)
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
    /not names of alice\.example/,
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
  t.strictSame(steps, ['write key', 'write certificate', 'serve certificate', 'keep certificate'])
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
      const name = readFileSync(join(root, folder, 'served'), 'utf8')
      const text = readFileSync(join(root, vhost), 'utf8')
      t.match(text, `ssl_certificate ${folder}/${name};`, `${fatal}, ${isBefore}`)
      const pem = readFileSync(join(root, folder, name), 'utf8')
      t.strictSame(new X509Certificate(pem).raw, new X509Certificate(chain).raw)
      t.strictSame(readdirSync(join(root, folder)).sort(), [name, 'request.key', 'served'].sort())
    }
  }
})

t.test('websites answer every challenge of the account, after a reload for the first', async t => {
  const { machine, read, standIn, calls } = await withAlice(t)
  const challenge = '/etc/nginx/panel/challenge.conf'
  t.match(read(challenge), 'return 404;')
  standIn('systemctl')
  const thumbprint = 'x'.repeat(43)
  await certificatesOf(machine).answerChallenges(thumbprint)
  t.match(read(challenge), `return 200 "$1.${thumbprint}";`)
  t.strictSame(calls(), ['systemctl reload -- nginx'])
  await certificatesOf(machine).answerChallenges(thumbprint)
  t.strictSame(calls(), [])
  await prepare(machine)
  t.match(read(challenge), `return 200 "$1.${thumbprint}";`, 'a new worker keeps it')
})

t.test('accounts that come with it at the same time share one reload', async t => {
  const { machine, read, standIn, calls } = await withAlice(t)
  standIn('systemctl', 'sleep 0.05')
  const host = certificatesOf(machine)
  const thumbprint = 'z'.repeat(43)
  await Promise.all(Array.from({ length: 8 }, () => host.answerChallenges(thumbprint)))
  t.strictSame(calls(), ['systemctl reload -- nginx'])
  t.equal(read('/var/lib/panel/acme-thumbprint'), thumbprint)
})

t.test('a reload that failed is done by the next process', async t => {
  const { machine, standIn, calls } = await withAlice(t)
  standIn('systemctl', 'exit 1')
  const thumbprint = 'y'.repeat(43)
  await t.rejects(certificatesOf(machine).answerChallenges(thumbprint))
  standIn('systemctl')
  calls()
  await certificatesOf(machine).answerChallenges(thumbprint)
  t.strictSame(calls(), ['systemctl reload -- nginx'])
})

t.test('the vhost leaves before its certificate, and nothing is left of either', async t => {
  for (const end of [
    (machine: Machine) => apply(machine, { ...alice, wanted: 'terminated' }, straight),
    (machine: Machine) => erase(machine, alice, straight),
  ]) {
    const { machine, standIn, read } = await withAlice(t)
    await certify(machine)
    standIn('systemctl', `ls ${machine.path(folder)} >>${machine.path('/seen')} || true`)
    writeFileSync(machine.path('/seen'), '')
    await end(machine)
    t.match(read('/seen'), /\.pem/, 'it was there at the reload without the vhost')
    t.notOk(existsSync(machine.path(vhost)))
    t.notOk(existsSync(machine.path(folder)))
  }
})
