import { spawnSync } from 'node:child_process'
import t, { type Test } from 'tap'
import { certificatesOf } from '../../support/certificates/world.ts'
import { until } from '../../support/until.ts'
import { openCertificatePanel } from '../certificates.ts'
import { isExecuted, keepCourier, keepWorker, plan } from '../plans.ts'

// A courier or worker is killed at each step of a renewal: the next one goes on, and the website
// answers throughout.

const { panel, authority, environment } = await openCertificatePanel(t)
const { create, untilSsl, hasten, events } = certificatesOf(panel)
await keepWorker(t, panel)
await keepCourier(t, environment)
await panel.pool.query(`select panel.set_issuing(true, '{}')`)
authority.point('alice.example', '127.0.0.1')
await create('alice')
await untilSsl('alice', 'issued')

// The moment after a step is the one before the next.
const moments = [
  ['courier', 'before', 'resolve'],
  ['courier', 'after', 'resolve'],
  ['courier', 'after', 'probe'],
  ['courier', 'after', 'order'],
  ['worker', 'before', 'write key'],
  ['worker', 'after', 'write key'],
  ['worker', 'after', 'write certificate'],
  ['worker', 'before', 'serve certificate'],
  ['worker', 'after', 'serve certificate'],
] as const

const isServed = (t: Test) => {
  const { status, text } = authority.visit('alice.example')
  t.equal(status, 200, text)
}

t.test('the website is served by https', async () => {
  await until(() => authority.visit('alice.example').status === 200)
})

for (const [name, moment, step] of moments) {
  t.test(`a ${name} killed ${moment} «${step}» is succeeded, and https stays`, async t => {
    const renewals = (await events('alice')).length
    const planned = name === 'courier' ? name : 'alice'
    plan(planned, { step, how: 'kill', moment })
    await hasten('alice', 'due_at = now(), renew_at = now()')
    await until(() => isExecuted(planned))
    isServed(t)
    await until(async () => (await events('alice')).length === renewals + 1)
    isServed(t)
  })
}

t.test('nothing else was done, and nginx would start', async t => {
  t.equal((await events('alice')).length, 1 + moments.length)
  t.equal(spawnSync('/usr/sbin/nginx', ['-t', '-q']).status, 0)
})
