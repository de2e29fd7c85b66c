import t from 'tap'
import { createToken } from '../../src/model/signing-in/tokens.ts'
import { openPanel, type Answer } from '../support/panel.ts'
import { count } from '../support/http/window.ts'

// 1,200 requests in any 60 seconds for each token; test/long/rate-limit.test.ts sends them.

const { call, pool } = await openPanel(t, { hasWorker: false })

const newToken = () => createToken(pool, { owner: 'admin', name: 'another' })
const get = (token?: string) =>
  call('GET', '/api/v1/packages', token === undefined ? {} : { token })
const header = (answer: Answer, name: string) => Number(answer.headers.get(name))

t.test('a caller without a slot is refused, and learns when there is one', async t => {
  const { id, token } = await newToken()
  await count(pool, id, { 0: 1_199 })
  t.match(await get(token), { status: 200 }, 'the last one')
  const refused = await get(token)
  t.match(refused, { status: 429, body: { error: 'Over 1200 requests per minute; wait a minute' } })
  t.equal(header(refused, 'ratelimit-remaining'), 0)
  const reset = header(refused, 'ratelimit-reset')
  t.ok(reset >= 50 && reset <= 60, `${reset} seconds`)
  t.equal(header(refused, 'retry-after'), 60)
  t.equal((await get()).status, 200, 'other tokens are not concerned')
})

t.test('a minute later all places are free', async t => {
  const { id, token } = await newToken()
  await count(pool, id, { 0: 1_200 })
  await pool.query('update panel.request_windows set second = second - 60 where token_id = $1', [
    id,
  ])
  t.equal(header(await get(token), 'ratelimit-remaining'), 1_199)
})

t.test('a clock that is set back does not lock a token out', async t => {
  const { id, token } = await newToken()
  await count(pool, id, { 0: 1_200 })
  await pool.query('update panel.request_windows set second = second + 3600')
  t.equal((await get(token)).status, 200)
})
