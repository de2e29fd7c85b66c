import t from 'tap'
import { openLanes } from '../../src/courier/lanes.ts'
import { barrier } from '../support/until.ts'

const begun = (list: string[]) => (each: string) => void list.push(each)

t.test('an unknown receiver has four places, and a retry waits for none', async t => {
  const lanes = openLanes(1_024)
  for (let count = 0; count < 4; count++) t.ok(lanes.enter('a', false))
  t.notOk(lanes.enter('a', false))
  t.ok(lanes.enter('b', false), 'another receiver has its own')
  t.ok(lanes.enter('a', true))
  lanes.release('a', 'failed')
  t.notOk(lanes.enter('a', false), 'the retry counts as well')
  lanes.release('a', 'failed')
  t.ok(lanes.enter('a', false))
})

t.test('retries need no place of their receiver until 64 attempts are in flight', async t => {
  const lanes = openLanes(1_024)
  let retries = 0
  while (lanes.enter('a', true)) retries += 1
  t.equal(retries, 64)
  t.ok(lanes.enter('b', true), 'another receiver has its own')
  lanes.release('a', 'timed out')
  t.notOk(lanes.enter('a', false))
  t.ok(lanes.enter('a', true))
})

t.test('receivers that hang leave places to others, however many retries are due', async t => {
  for (const [hanging, minFree] of [
    [1, 960],
    [16, 300],
    [100, 60],
    [1_000, 8],
  ] as const) {
    for (const isRetry of [true, false]) {
      const lanes = openLanes(1_024)
      const counts = Array.from({ length: hanging }, () => 0)
      // Turn by turn, as their retries are due.
      for (let grows = true; grows;) {
        grows = false
        for (const index of counts.keys()) {
          if (!lanes.enter(`hanging${index}`, isRetry)) continue
          counts[index]! += 1
          grows = true
        }
      }
      const taken = counts.reduce((sum, count) => sum + count, 0)
      t.ok(1_024 - taken >= minFree, `${hanging}: ${1_024 - taken} are free`)
      t.ok(Math.min(...counts) >= 1, 'each has a try')
      t.ok(Math.max(...counts) <= 64)
      t.ok(lanes.enter('another', false))
      t.ok(lanes.enter('another', true) || hanging >= 100)
      // Once they have timed out, their places are everybody's again.
      for (const [index, count] of counts.entries()) {
        for (let left = count; left > 0; left--) lanes.release(`hanging${index}`, 'timed out')
      }
      let max = 0
      while (lanes.enter('many', true)) max += 1
      t.equal(max, 64)
    }
  }
})

t.test('a blocked delivery takes no more than its share either', async t => {
  const lanes = openLanes(1_024)
  for (let index = 0; index < 16; index++) while (lanes.enter(`hanging${index}`, true));
  lanes.expectBlocked(['a'])
  const asked: number[] = []
  await lanes.fill('a', async slots => (asked.push(slots), []), begun([]))
  t.strictSame(asked, [4])
  for (let index = 16; index < 800; index++) lanes.enter(`hanging${index}`, true)
  lanes.expectBlocked(['b'])
  await lanes.fill('b', async slots => (asked.push(slots), []), begun([]))
  t.strictSame(asked, [4, 1])
})

// Makes so many deliveries at once, which all end like this.
const rush = (lanes: ReturnType<typeof openLanes>, end: 'answered' | 'failed' | 'timed out') => {
  let slots = 0
  while (lanes.enter('a', false)) slots += 1
  for (let count = 0; count < slots; count++) lanes.release('a', end)
  return slots
}

t.test('places grow to 64 with answers, as far as they are needed', async t => {
  const lanes = openLanes(1_024)
  for (let count = 0; count < 100; count++) {
    lanes.enter('a', false)
    lanes.release('a', 'answered')
  }
  t.equal(rush(lanes, 'answered'), 4, 'one at a time needs no more')
  for (let count = 0; count < 100; count++) rush(lanes, 'answered')
  t.equal(rush(lanes, 'failed'), 64)
  t.equal(rush(lanes, 'failed'), 64, 'a failure that costs no time takes none away')
})

t.test('a timeout leaves one place, and answers bring more again', async t => {
  const lanes = openLanes(1_024)
  t.equal(rush(lanes, 'timed out'), 4)
  t.equal(rush(lanes, 'timed out'), 1)
  t.equal(rush(lanes, 'answered'), 1)
  t.equal(rush(lanes, 'answered'), 2)
})

t.test('free places are filled with what is blocked, until there is none', async t => {
  const lanes = openLanes(1_024)
  const taken: string[] = []
  const asked: number[] = []
  const blocked = ['1', '2', '3', '4', '5', '6']
  const take = async (slots: number) => {
    asked.push(slots)
    const those = blocked.splice(0, slots)
    // Each is in progress until the test ends it.
    return those
  }
  await lanes.fill('a', take, begun(taken))
  t.strictSame(asked, [], 'nothing is known to be blocked')
  lanes.expectBlocked(['a'])
  await lanes.fill('a', take, begun(taken))
  t.strictSame(asked, [4])
  t.strictSame(taken, ['1', '2', '3', '4'])
  lanes.release('a', 'answered')
  await lanes.fill('a', take, begun(taken))
  t.strictSame(asked, [4, 2], 'the place that is free, and the one that was earned')
  for (let count = 0; count < 5; count++) lanes.release('a', 'failed')
  await lanes.fill('a', take, begun(taken))
  t.strictSame(asked, [4, 2, 5])
  await lanes.fill('a', take, begun(taken))
  t.equal(asked.length, 3, 'no fetch is repeated before a delivery is blocked')
})

t.test('a delivery blocked during a fetch is fetched again', async t => {
  const lanes = openLanes(1_024)
  lanes.expectBlocked(['a'])
  const held = barrier()
  const [taken, blocked]: [string[], string[]] = [[], []]
  const take = async () => {
    const those = blocked.splice(0)
    await held.pass()
    return those
  }
  const fill = lanes.fill('a', take, begun(taken))
  await held.stopped
  await lanes.suspend('a', async () => blocked.push('late'))
  // A second fill leaves the work to the one that is running.
  await lanes.fill('a', take, begun(taken))
  t.strictSame(taken, [])
  held.open()
  await fill
  t.strictSame(taken, ['late'])
})

t.test('a caller that comes during a fill leaves it to that one', async t => {
  const lanes = openLanes(1_024)
  lanes.expectBlocked(['a'])
  const held = barrier()
  const first = lanes.fill(
    'a',
    async () => {
      await held.pass()
      return []
    },
    () => undefined,
  )
  await held.stopped
  await lanes.fill(
    'a',
    () => t.fail('it looked too') as never,
    () => undefined,
  )
  held.open()
  await first
})
