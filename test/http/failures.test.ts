import t from 'tap'
import { countFailures, networkOf } from '../../src/http/failures.ts'
import { openPanel } from '../support/panel.ts'

t.test(
  'the 61st failure of a minute is over the limit, and the next minute starts at 0',
  async t => {
    const failures = countFailures()
    for (let turn = 1; turn <= 60; turn++) t.notOk(failures.count('192.0.2.1', turn))
    t.ok(failures.count('192.0.2.1', 61))
    t.notOk(failures.count('192.0.2.2', 61), 'another address')
    t.notOk(failures.count('192.0.2.1', 60_002), 'a minute after the first')
  },
)

t.test('an IPv6 subscriber is a /64, however an address is written', async t => {
  t.equal(networkOf('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64')
  t.equal(networkOf('2001:0db8:1:2::'), '2001:db8:1:2::/64')
  t.equal(networkOf('2001:db8::1'), '2001:db8::/64')
  t.equal(networkOf('::1'), '::/64')
  t.equal(networkOf('192.0.2.1'), '192.0.2.1')
})

t.test('memory stays bounded', async t => {
  const failures = countFailures()
  for (let turn = 0; turn < 61; turn++) failures.count('192.0.2.1', 0)
  for (let other = 0; other < 10_000; other++) failures.count(`other-${other}`, 0)
  t.notOk(failures.count('192.0.2.1', 1), 'forgotten, because 10,000 others came after it')
})

t.test('a guesser gets 429, and a valid token from the same address still gets in', async t => {
  const panel = await openPanel(t, { hasWorker: false })
  const guess = () => panel.call('GET', '/api/v1/packages', { token: 'pnl_wrong' })
  for (let turn = 0; turn < 60; turn++) t.equal((await guess()).status, 401)
  const refused = await guess()
  t.equal(refused.status, 429)
  t.equal(refused.headers.get('retry-after'), '60')
  t.equal((await panel.call('GET', '/api/v1/packages')).status, 200)
})
