import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { groupCommit } from '../../src/host/tools/group-commit.ts'

t.test('many callers share few acts, one at a time', async t => {
  const groups: number[][] = []
  let running = 0
  const commit = groupCommit(async (changes: number[]) => {
    t.equal(++running, 1)
    groups.push(changes)
    await sleep(20)
    running--
    return []
  })
  const first = commit(0)
  await sleep(5)
  await Promise.all([first, ...Array.from({ length: 50 }, (_, index) => commit(index + 1))])
  t.strictSame(groups[0], [0])
  t.equal(groups.length, 2)
  t.equal(groups[1]?.length, 50)
})

t.test('an act that began before the call does not count', async t => {
  const began: number[] = []
  const commit = groupCommit(async (_: true[]) => {
    began.push(performance.now())
    await sleep(20)
    return []
  })
  const first = commit(true)
  await sleep(10)
  const called = performance.now()
  await commit(true)
  t.ok((began.at(-1) ?? 0) >= called)
  await first
})

t.test('a change that fails is the only one that fails', async t => {
  const commit = groupCommit(async (changes: string[]) =>
    changes.map(change => (change === 'bad' ? new Error('bad one') : undefined)),
  )
  const results = await Promise.allSettled(['good', 'bad', 'good'].map(commit))
  t.strictSame(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
})

t.test('an act that fails fails for all that share it, and the next is tried', async t => {
  let acts = 0
  const commit = groupCommit(async (_: number[]) => {
    if (++acts === 1) throw new Error('no disk')
    return []
  })
  const results = await Promise.allSettled([commit(1), commit(2)])
  t.match(results, [{ reason: /no disk/ }, { reason: /no disk/ }])
  await commit(3)
  t.equal(acts, 2)
})
