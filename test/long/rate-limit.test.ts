import t from 'tap'
import { createToken } from '../../src/model/signing-in/tokens.ts'
import { startApi } from '../support/api/api-process.ts'
import { call, type Answer } from '../support/panel.ts'
import { database, token as other } from '../support/database.ts'
import { proxy } from '../support/proxy.ts'
import { count } from '../support/http/window.ts'
import { until } from '../support/until.ts'

// 1,200 requests in any 60 seconds for each token, over two API processes on one database.

const { url: databaseUrl, pool } = await database(t, 'panel_owned')
// Statements of the API processes to the database, in pieces of any size.
let sent = 0
const url = await proxy(t, databaseUrl, () => {
  sent++
  return 'pass'
})
const apis = await Promise.all([startApi(t, url), startApi(t, url)])

const newToken = () => createToken(pool, { owner: 'admin', name: 'another' })
const get = (token: string, turn: number) =>
  call(`${apis[turn % 2]!.baseUrl}/api/v1/packages`, 'GET', { token })
const header = (answer: Answer, name: string) => Number(answer.headers.get(name))

t.test('exactly 1,200 of 1,400 at once are served, with the rest of the limit', async t => {
  const { id, token } = await newToken()
  const answers: Answer[] = []
  const callers = Array.from({ length: 70 }, async (_, caller) => {
    for (let turn = 0; turn < 20; turn++) answers.push(await get(token, caller))
  })
  await Promise.all(callers)
  const served = answers.filter(({ status }) => status === 200)
  const refused = answers.filter(({ status }) => status === 429)
  t.strictSame([served.length, refused.length], [1_200, 200])

  const remaining = served.map(answer => header(answer, 'ratelimit-remaining'))
  t.equal(new Set(remaining).size, 1_200, 'no place is given twice')
  t.strictSame([Math.min(...remaining), Math.max(...remaining)], [0, 1_199])
  for (const answer of answers) {
    const reset = header(answer, 'ratelimit-reset')
    if (header(answer, 'ratelimit-limit') !== 1_200 || reset < 1 || reset > 60) {
      t.fail(`${answer.status}: ${[...answer.headers]}`)
    }
  }
  const words = { error: 'Over 1200 requests per minute; wait a minute' }
  for (const { body, headers } of refused) {
    const entries = [headers.get('retry-after'), headers.get('ratelimit-remaining'), body]
    t.strictSame(entries, ['60', '0', words])
  }
  const { rows } = await pool.query(
    `select sum(each)::int as counted, used from panel.request_windows, unnest(counts) as each
     where token_id = $1 group by used`,
    [id],
  )
  t.strictSame(rows, [{ counted: 1_200, used: 1_200 }], 'what is refused is not counted')

  const before = sent
  for (let turn = 0; turn < 20; turn++) t.equal((await get(token, turn)).status, 429)
  t.equal(sent, before, 'what is refused does not reach the database')
  t.equal((await get(other, 0)).status, 200, 'other tokens are not concerned')
  t.ok(sent > before, 'they do')
})

t.test('places are free again as requests leave the window, and no sooner', async t => {
  const { id, token } = await newToken()
  const refused = await until(async () => {
    await count(pool, id, { 57: 700, 20: 500 })
    const answer = await get(token, 0)
    return answer.status === 429 && answer
  })
  const reset = header(refused, 'ratelimit-reset')
  t.ok(reset >= 1 && reset <= 3, `${reset} seconds`)
  const served = await until(async () => {
    const answer = await get(token, 0)
    return answer.status === 200 && answer
  })
  t.equal(header(served, 'ratelimit-remaining'), 699, 'those of 20 seconds ago still count')
  t.equal(header(await get(token, 1), 'ratelimit-remaining'), 698, 'for the other process too')
})
