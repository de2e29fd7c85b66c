import { appendFileSync, renameSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { startProcess } from '../support/processes.ts'
import { until } from '../support/until.ts'
import { append, enqueue, line, openUsage } from '../support/usage/usage.ts'

// The reader is killed between reading and storing, right after storing, and at any moment while
// the log grows and is rotated. Its successor counts the rest, and nothing twice.

const { panel, log, sites, turn, sums, begin } = await openUsage(t, { hasWorker: false })
const fixture = 'test/support/usage/reader.ts'
const ready = /started/
const args = [panel.databaseUrl, panel.root]

for (const moment of ['read', 'stored']) {
  for (const count of ['1', '3']) {
    t.test(`a reader killed when batch ${count} was ${moment} is succeeded`, async t => {
      await begin()
      // Some four batches over two files.
      appendFileSync(log, line(sites.alice, 1).repeat(50_000))
      renameSync(log, `${log}.1`)
      appendFileSync(log, line(sites.bob, 1).repeat(50_000))
      const killed = await startProcess(t, fixture, [...args, count, moment], { ready })
      const id = await enqueue(panel, 'usage/bandwidth')
      await killed.exited

      const successor = await panel.startWorker()
      await until(async () => {
        const job = await panel.pool.query('select from worker_queue.jobs where id = $1', [id])
        return job.rowCount === 0
      })
      await successor.stop()
      t.strictSame(await sums(), ['alice 2026-01: 50000', 'bob 2026-01: 50000'])
    })
  }
}

t.test('readers killed at any moment leave exact sums', async t => {
  await begin()
  let written = 0
  let isOver = false
  const write = async () => {
    for (let round = 0; !isOver; round++) {
      for (let lines = 1; lines <= 100; lines++) {
        append(log, line(sites.alice, lines))
        written += lines
      }
      if (round % 20 === 19) {
        renameSync(log, `${log}.${round}`)
      }
      await sleep(5)
    }
  }
  const writing = write()
  for (let life = 0; life < 5; life++) {
    const reader = await startProcess(t, fixture, args, { ready })
    const until = performance.now() + 100 + 100 * life
    while (performance.now() < until) {
      await enqueue(panel, 'usage/bandwidth')
      await sleep(3)
    }
    await reader.kill()
  }
  isOver = true
  await writing
  await panel.startWorker()
  await turn()
  await turn()
  t.strictSame(await sums(), [`alice 2026-01: ${written}`])
  t.ok(written > 100_000)
})
