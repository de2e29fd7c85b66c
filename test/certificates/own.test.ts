import { X509Certificate } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import t from 'tap'
import { isOwnSignature, needsRenewal } from '../../src/host/web/own-certificate.ts'
import { makeOwnCertificate } from '../../src/host/web/self-signed.ts'
import { courierOn } from '../support/courier.ts'
import { openPanel } from '../support/panel.ts'
import { until } from '../support/until.ts'
import { makeWorld } from '../support/certificates/world.ts'

// The name that the worker of tests calls its server by.
const name = 'panel.test'

const panel = await openPanel(t)
const { pool } = panel
const file = join(panel.root, 'etc/panel/tls/panel.pem')
const world = await makeWorld()
await pool.query(`select panel.set_issuing(true, '{}')`)
await courierOn(t, panel.databaseUrl, { authority: world })

/** Has the worker take its turn, as it does each minute. */
const turn = () =>
  pool.query(`select worker_queue.add_job('maintenance/own-certificate', '{}',
    job_key => 'maintenance/own-certificate', queue_name => 'maintenance/own-certificate')`)

const find = async () => (await pool.query('select * from panel.own_certificate')).rows[0]

const served = () => readFile(file, 'utf8')

/** Takes turns until something is so. */
const untilTurns = (isSo: () => Promise<boolean>) =>
  until(async () => {
    await turn()
    return isSo()
  })

t.test('a panel without nginx in front asks for nothing', async t => {
  await turn()
  await until(async () => {
    const { rows } = await pool.query(
      `select from panel.maintenance_runs where task = 'maintenance/own-certificate'`,
    )
    return rows.length > 0
  })
  t.equal(await find(), undefined)
})

t.test('a name that points elsewhere keeps its own signature, and says why', async t => {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, await makeOwnCertificate(name, new Date()))
  await untilTurns(async () => (await find())?.error != null)
  t.match(await find(), { error: 'panel.test has no address', attempts: 1, chain: null })
  t.ok(isOwnSignature(await served()))
  t.strictSame(world.asked, [])
})

t.test('a certificate that does not fit its key is not served, and is ordered again', async t => {
  world.pointing.add(name)
  const { request } = await find()
  const { sign } = world
  world.sign = async () => (await makeWorld()).certificate
  await pool.query('update panel.own_certificate set due_at = now(), error = null')
  await untilTurns(async () => (await find()).error !== null)
  t.ok(isOwnSignature(await served()))
  // The new certificate is reported first.
  await until(async () => (await find()).request !== request)
  world.sign = sign
})

t.test('a host name that points here gets an authority’s certificate for its key', async t => {
  const key = /-----BEGIN PRIVATE KEY[^]*END PRIVATE KEY-----/
  const before = key.exec(await served())?.[0]
  await pool.query('update panel.own_certificate set due_at = now()')
  await untilTurns(async () => !isOwnSignature(await served()))
  const pem = await served()
  t.equal(key.exec(pem)?.[0], before)
  t.ok(new X509Certificate(pem).checkHost(name))
  t.notOk(needsRenewal(pem, name, new Date()))
  await until(async () => (await find()).due_at === null)
  t.match(await find(), { chain: null, error: null, attempts: 0 })
  const asked = world.asked.length
  await turn()
  await turn()
  t.equal(world.asked.length, asked, 'and then rests')
})

t.test('a mail server gets a certificate of its own, for its name', async t => {
  const [mailName, mailFile] = ['mx.panel.test', join(dirname(file), 'mail.pem')]
  const pem = () => readFile(mailFile, 'utf8')
  await writeFile(mailFile, await makeOwnCertificate(mailName, new Date()))
  const before = await served()
  await pool.query(`update panel.server set mail = '{"host": "mx.panel.test"}'`)
  const findMail = async () =>
    (await pool.query(`select * from panel.own_certificate where purpose = 'mail'`)).rows[0]
  await untilTurns(async () => (await findMail())?.error != null)
  t.match(await findMail(), { domain: mailName, error: 'mx.panel.test has no address' })
  world.pointing.add(mailName)
  await pool.query('update panel.own_certificate set due_at = now()')
  await untilTurns(async () => !isOwnSignature(await pem()))
  t.ok(new X509Certificate(await pem()).checkHost(mailName))
  t.match(await pem(), /^-----BEGIN PRIVATE KEY/, 'Postfix needs the key first')
  t.equal(await served(), before, 'the one of the panel stays')
})
