import { createHmac, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { openPool } from '../../src/db.ts'
import { addOperator, getOperator } from '../../src/model/sellers/operators.ts'
import {
  beginEnrolment,
  confirmEnrolment,
  disableSecondFactor,
  factorsKey,
  findEnrolment,
  findSecondFactor,
  type Person,
  replaceRecoveryCodes,
  useCode,
} from '../../src/model/signing-in/second-factors.ts'
import { createToken, listTokens } from '../../src/model/signing-in/tokens.ts'
import { openPanel } from '../support/panel.ts'

const panel = await openPanel(t, { hasWorker: false })
const { pool } = panel
// The API's role, which signs people in.
const api = openPool(panel.databaseUrl, 'panel_api', 4)
t.teardown(() => api.end())
// Opens all connections, so that concurrent statements don't wait for one.
await Promise.all([1, 2, 3, 4].map(() => api.query('select pg_sleep(0.05)')))
const key = factorsKey(randomBytes(32))

// An authenticator app: RFC 4226 and 6238 with Node's own HMAC; a step is 30 seconds.
function codeOf(secret: string, steps = 0): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
  const bits = [...secret].map(one => alphabet.indexOf(one).toString(2).padStart(5, '0')).join('')
  const bytes = Buffer.from((bits.match(/.{8}/g) ?? []).map(byte => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + steps))
  const mac = createHmac('sha1', bytes).update(counter).digest()
  const number = mac.readUInt32BE((mac.at(-1) ?? 0) & 15) & 0x7fffffff
  return `${number % 1_000_000}`.padStart(6, '0')
}

async function owner(name: string) {
  const email = `${name}@example.com`
  await addOperator(pool, { name, role: 'reseller', email, password: 'correct horse' })
  return { kind: 'operator' as const, id: (await getOperator(pool, name)).id, name }
}

async function enrolled(name: string) {
  const one = await owner(name)
  const { secret } = await beginEnrolment(api, one, 'panel.test', key)
  const codes = await confirmEnrolment(api, one, codeOf(secret), key)
  // Makes the code of this moment valid again, as if it were another moment.
  await pool.query('update panel.second_factors set last_step = 0 where operator_id = $1', [one.id])
  return { ...one, secret, codes }
}

const use = (one: Person, code: string) => useCode(api, one, code, key)

// A token of the owner, which changes of the second factor have to void.
async function tokenOf(name: string) {
  const { id } = await createToken(pool, { owner: name, name: 'billing' })
  return async () => (await listTokens(pool, name)).find(token => token.id === id)?.state
}

t.test('is on once a first code has confirmed it, with codes for when it is lost', async t => {
  const one = await owner('anna')
  const state = await tokenOf('anna')
  t.equal(await findSecondFactor(api, one), undefined)
  const { secret, uri } = await beginEnrolment(api, one, 'panel.test', key)
  t.match(secret, /^[A-Z2-7]{32}$/)
  t.match(uri, /^otpauth:\/\/totp\/panel\.test:anna\?issuer=panel\.test&secret=/)
  t.match(uri, `secret=${secret}&algorithm=SHA1&digits=6&period=30`)
  t.strictSame(await findSecondFactor(api, one), { isConfirmed: false, recoveryCodes: 0 })
  t.equal(await use(one, codeOf(secret)), 'wait', 'an unconfirmed factor is not requested')
  t.equal(await state(), 'valid')

  for (const wrong of ['000000', '', 'éééééé', codeOf(secret, -2), codeOf(secret, 3)]) {
    await t.rejects(confirmEnrolment(api, one, wrong, key), { code: 'invalid' })
  }
  const codes = await confirmEnrolment(api, one, codeOf(secret), key)
  t.equal(new Set(codes).size, 10)
  for (const code of codes) t.match(code, /^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/)
  t.strictSame(await findSecondFactor(api, one), { isConfirmed: true, recoveryCodes: 10 })
  t.equal(await state(), 'void')
  await t.rejects(confirmEnrolment(api, one, codeOf(secret, 1), key), { code: 'invalid' })
  await t.rejects(beginEnrolment(api, one, 'panel.test', key), {
    code: 'invalid',
    message: 'anna already has two-factor authentication: replace it',
  })
})

t.test('begun again, the secret before is worth nothing', async t => {
  const one = await owner('berta')
  const first = await beginEnrolment(api, one, 'panel.test', key)
  const second = await beginEnrolment(api, one, 'panel.test', key)
  await t.rejects(confirmEnrolment(api, one, codeOf(first.secret), key), { code: 'invalid' })
  await confirmEnrolment(api, one, codeOf(second.secret), key)
})

const begin = (one: Person & { name: string }) =>
  beginEnrolment(api, one, 'panel.test', key, 'next')
const confirm = (one: Person, code: string) => confirmEnrolment(api, one, code, key, null, 'next')

t.test('the next one takes its place with its first code, and not before', async t => {
  const one = await enrolled('mia')
  const state = await tokenOf('mia')
  await t.rejects(confirm(one, codeOf(one.secret)), { code: 'invalid' }, 'none was begun')
  const left = await begin(one)
  const { secret } = await begin(one)
  t.match(await findEnrolment(api, one, 'panel.test', key, 'next'), { secret })
  t.equal(
    await findEnrolment(api, one, 'panel.test', key),
    undefined,
    'none that waits for sign-in',
  )
  await t.rejects(confirmEnrolment(api, one, codeOf(secret), key), { code: 'invalid' })
  for (const wrong of ['000000', codeOf(one.secret), codeOf(left.secret), codeOf(secret, -2)]) {
    await t.rejects(confirm(one, wrong), { code: 'invalid' })
  }
  t.equal(await use(one, codeOf(secret)), 'wrong')
  t.equal(await use(one, codeOf(one.secret)), 'right', 'the one before is in use')
  t.equal(await use(one, one.codes[0]!), 'right')
  t.equal(await state(), 'valid')

  const ends = await Promise.allSettled([1, 2, 3, 4].map(() => confirm(one, codeOf(secret))))
  const reported = ends.flatMap(end => (end.status === 'fulfilled' ? [end.value] : []))
  t.equal(reported.length, 1, 'of those who confirm at once one gets recovery codes')
  t.equal(await state(), 'void')
  t.strictSame(await findSecondFactor(api, one), { isConfirmed: true, recoveryCodes: 10 })
  t.equal(await use(one, codeOf(secret)), 'wrong', 'the code that confirmed it is used up')
  t.equal(await use(one, codeOf(secret, 1)), 'right')
  t.equal(await use(one, codeOf(one.secret, 1)), 'wrong')
  t.equal(await use(one, one.codes[1]!), 'wrong')
  t.equal(await use(one, reported[0]![0]!), 'right')
  await t.rejects(confirm(one, codeOf(secret)), { code: 'invalid' }, 'once')
})

t.test('a next one that is left is worth nothing later, and one needs a first', async t => {
  const one = await enrolled('nora')
  const { secret } = await begin(one)
  await pool.query(
    `update panel.second_factors set next_begun_at = now() - interval '10 minutes'
     where operator_id = $1`,
    [one.id],
  )
  t.equal(await findEnrolment(api, one, 'panel.test', key, 'next'), undefined)
  await t.rejects(confirm(one, codeOf(secret)), { code: 'invalid' })
  t.equal(await use(one, codeOf(one.secret)), 'right')
  const other = await owner('olga')
  const message = 'Two-factor authentication is not set up'
  await t.rejects(begin(other), { code: 'invalid', message })
  await beginEnrolment(api, other, 'panel.test', key)
  await t.rejects(begin(other), { code: 'invalid' }, 'one that is not confirmed is none')
})

t.test(
  'one of several concurrent confirmations gets recovery codes, and these are good',
  async t => {
    const one = await owner('clara')
    const { secret } = await beginEnrolment(api, one, 'panel.test', key)
    const ends = await Promise.allSettled(
      [1, 2, 3, 4].map(() => confirmEnrolment(api, one, codeOf(secret), key)),
    )
    const reported = ends.flatMap(end => (end.status === 'fulfilled' ? [end.value] : []))
    t.equal(reported.length, 1)
    t.equal(await use(one, reported[0]![0]!), 'right')
    t.strictSame(await findSecondFactor(api, one), { isConfirmed: true, recoveryCodes: 9 })
  },
)

t.test('takes the code of now and of a moment ago or ahead, as people type it', async t => {
  const one = await enrolled('doris')
  // A step's end must not come between the two codes.
  const leftMs = 30_000 - (Date.now() % 30_000)
  if (leftMs < 3_000) await sleep(leftMs)
  t.equal(await use(one, codeOf(one.secret, -2)), 'wrong')
  t.equal(await use(one, codeOf(one.secret, -1)), 'right')
  t.equal(await use(one, ` ${codeOf(one.secret).replace(/^.../, '$& ')}`), 'right')
  t.equal(await use(one, codeOf(one.secret, 1)), 'right')
  t.equal(await use(one, codeOf(one.secret, 3)), 'wrong')
})

t.test('takes no code twice, nor one that is older than the last', async t => {
  const one = await enrolled('emma')
  const [before, now] = [codeOf(one.secret, -1), codeOf(one.secret)]
  t.equal(await use(one, now), 'right')
  t.equal(await use(one, now), 'wrong')
  t.equal(await use(one, before), 'wrong')
  const recovery = one.codes[3]!
  t.equal(await use(one, recovery), 'right')
  t.equal(await use(one, recovery), 'wrong')
  t.equal(await use(one, one.codes[4]!.toLowerCase().replaceAll('-', ' ')), 'right')
})

t.test('one of many uses of one code at once is right', async t => {
  const one = await enrolled('frida')
  for (const code of [codeOf(one.secret), one.codes[0]!]) {
    const verdicts = await Promise.all([1, 2, 3, 4].map(() => use(one, code)))
    t.equal(verdicts.filter(verdict => verdict === 'right').length, 1, `${verdicts}`)
  }
})

t.test('after some wrong codes a right one has to wait', async t => {
  const one = await enrolled('gerda')
  const guesses = await Promise.all(Array.from({ length: 8 }, () => use(one, '00000')))
  t.strictSame(guesses.sort(), [...Array(3).fill('wait'), ...Array(5).fill('wrong')])
  t.equal(await use(one, codeOf(one.secret)), 'wait')
  t.equal(await use(one, one.codes[0]!), 'wait')

  const age = (interval: string) =>
    pool.query(
      `update panel.second_factors set tried_at = tried_at - $2::interval where operator_id = $1`,
      [one.id, interval],
    )
  await age('1 second')
  t.equal(await use(one, '00000'), 'wrong')
  await age('1 second')
  t.equal(await use(one, codeOf(one.secret)), 'wait', 'the wait has become longer')
  await pool.query('update panel.second_factors set failures = 1000 where operator_id = $1', [
    one.id,
  ])
  await age('59 minutes')
  t.equal(await use(one, codeOf(one.secret)), 'wait')
  await age('1 minute')
  t.equal(await use(one, codeOf(one.secret)), 'right')
  t.equal(await use(one, '00000'), 'wrong', 'and then the count starts at 0')
})

t.test('other recovery codes make those before worthless, and tokens void', async t => {
  const one = await enrolled('hanna')
  const state = await tokenOf('hanna')
  const fresh = await replaceRecoveryCodes(api, one)
  t.equal(await state(), 'void')
  t.equal(await use(one, one.codes[0]!), 'wrong')
  t.equal(await use(one, fresh[0]!), 'right')
  const other = await owner('ida')
  const others = await tokenOf('ida')
  await t.rejects(replaceRecoveryCodes(api, other), { code: 'invalid' })
  await beginEnrolment(api, other, 'panel.test', key)
  await t.rejects(replaceRecoveryCodes(api, other), { code: 'invalid' })
  t.equal(await others(), 'valid')
})

t.test('disabled, nothing of it is left; where there was none nothing changes', async t => {
  const one = await enrolled('jutta')
  const { token } = await createToken(pool, { owner: 'jutta', name: 'one' })
  const expired = await createToken(pool, { owner: 'jutta', name: 'expired' })
  await pool.query(`update panel.tokens set expires_at = now() - interval '1 hour' where id = $1`, [
    expired.id,
  ])
  const get = () => panel.call('GET', '/api/v1/packages', { token })
  t.equal((await get()).status, 200)
  t.equal(await disableSecondFactor(api, one), 1, 'one token worked until now')
  t.equal((await get()).status, 401)
  t.equal(await findSecondFactor(api, one), undefined)
  const left = await pool.query('select from panel.recovery_codes where operator_id = $1', [one.id])
  t.equal(left.rowCount, 0)

  const state = await tokenOf('jutta')
  t.equal(await disableSecondFactor(api, one), null)
  await beginEnrolment(api, one, 'panel.test', key)
  t.equal(await disableSecondFactor(api, one), null, 'what was only begun goes, too')
  t.equal(await findSecondFactor(api, one), undefined)
  t.equal(await state(), 'valid')
})

t.test('the database alone reveals no secret, and a secret of one is none of another', async t => {
  const [one, other] = [await enrolled('karla'), await enrolled('lena')]
  const { rows } = await pool.query('select * from panel.second_factors, panel.recovery_codes')
  const rest = JSON.stringify(rows.map(row => ({ ...row, secret: row.secret.toString('latin1') })))
  for (const secret of [one.secret, one.codes[0]!, one.codes[0]!.replaceAll('-', '')]) {
    t.notMatch(rest, secret)
  }
  await pool.query(
    `update panel.second_factors
     set secret = (select secret from panel.second_factors where operator_id = $2)
     where operator_id = $1`,
    [one.id, other.id],
  )
  await t.rejects(use(one, codeOf(other.secret)), /authenticate data/)
  await t.rejects(useCode(api, other, codeOf(other.secret), factorsKey(randomBytes(32))))
  t.equal(await use(other, codeOf(other.secret)), 'right')
})
