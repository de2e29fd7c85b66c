import { randomBytes } from 'node:crypto'
import { TOTP } from 'otpauth'
import t from 'tap'
import { addOperator, getOperator } from '../../src/model/sellers/operators.ts'
import {
  beginEnrolment,
  confirmEnrolment,
  factorsKey,
  findSecondFactor,
} from '../../src/model/signing-in/second-factors.ts'
import { createToken, listTokens } from '../../src/model/signing-in/tokens.ts'
import { panelFor, runPanel } from '../support/cli/run-panel.ts'

const { pool, environment, panel } = await panelFor(t)
const key = factorsKey(randomBytes(32))

async function enrolled(name: string, role: 'administrator' | 'reseller') {
  await addOperator(pool, { name, role, email: `${name}@example.com`, password: 'correct horse' })
  const owner = { kind: 'operator', id: (await getOperator(pool, name)).id, name } as const
  const { secret } = await beginEnrolment(pool, owner, 'panel.test', key)
  await confirmEnrolment(pool, owner, new TOTP({ secret }).generate(), key)
  await createToken(pool, { owner: name, name: 'billing' })
  return owner
}

const states = async (name: string) => (await listTokens(pool, name)).map(({ state }) => state)

const admin = await enrolled('admin', 'administrator')
const bob = await enrolled('bob', 'reseller')

t.test('takes the administrator’s second factor away, and the tokens', async t => {
  const result = await runPanel(['ctl', 'disable-2fa', '--yes', '--json'], environment)
  t.match(result, { code: 0, stderr: /^panel: create new tokens for programs that used admin's/ })
  t.strictSame(result.json(), { name: 'admin', was_enabled: true, tokens_revoked: 1 })
  t.equal(await findSecondFactor(pool, admin), undefined)
  t.strictSame(await states('admin'), ['void'])
  t.match(await findSecondFactor(pool, bob), { isConfirmed: true })
  t.strictSame(await states('bob'), ['valid'])
})

t.test('again, it changes nothing', async t => {
  await createToken(pool, { owner: 'admin', name: 'stays' })
  const result = await panel(['ctl', 'disable-2fa', '--json'])
  t.match(result, { code: 0, stderr: 'panel: admin has no second factor: nothing was changed\n' })
  t.strictSame(result.json(), { name: 'admin', was_enabled: false, tokens_revoked: 0 })
  t.strictSame(await states('admin'), ['void', 'valid'])
})

t.test('takes a reseller’s, and none of an unknown name', async t => {
  t.match(await panel(['ctl', 'disable-2fa', 'missing']), {
    code: 1,
    stdout: '',
    stderr: 'panel: Unknown operator: missing\n',
  })
  t.match(await panel(['ctl', 'disable-2fa', 'bob', '--yes']), {
    code: 0,
    stdout: 'name            bob\nwas_enabled     yes\ntokens_revoked  1\n',
  })
  t.equal(await findSecondFactor(pool, bob), undefined)
})
