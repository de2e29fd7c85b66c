import { appendFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { append, line, openUsage } from '../support/usage/usage.ts'

// Real files, the real worker, one job a turn.

const { panel, log, sites, turn, sums, begin } = await openUsage(t)

const positions = async () => (await panel.pool.query('select from panel.log_positions')).rowCount

const test = (title: string, work: (t: Test) => Promise<void>) =>
  t.test(title, async t => {
    await begin()
    await work(t)
  })

test('bytes are summed up by account and month, each line once', async t => {
  await turn()
  t.strictSame(await sums(), [], 'no log, no sums')
  append(log, line(sites.alice, 100), line(sites.bob, 7), line(sites.alice, 20))
  await turn()
  await turn()
  t.strictSame(await sums(), ['alice 2026-01: 120', 'bob 2026-01: 7'])
  append(log, line(sites.alice, 3))
  await turn()
  t.strictSame(await sums(), ['alice 2026-01: 123', 'bob 2026-01: 7'])
})

test("a month's end within one batch is UTC's", async t => {
  append(
    log,
    line(sites.alice, 1, '2025-12-31T23:59:59.999Z'),
    line(sites.alice, 2, '2026-01-01T00:00:00.000Z'),
    line(sites.alice, 4, '2026-02-01T00:30:00.000+01:00'),
    line(sites.alice, 8, '2026-02-01T00:30:00.000Z'),
  )
  await turn()
  t.strictSame(await sums(), ['alice 2025-12: 1', 'alice 2026-01: 6', 'alice 2026-02: 8'])
})

test('an unfinished last line is left for the next time', async t => {
  const whole = line(sites.alice, 1_000)
  append(log, line(sites.alice, 5), whole.slice(0, -12))
  await turn()
  t.strictSame(await sums(), ['alice 2026-01: 5'])
  append(log, whole.slice(-12))
  await turn()
  t.strictSame(await sums(), ['alice 2026-01: 1005'])
})

test('a rotated file is read to its end before it is forgotten', async t => {
  append(log, line(sites.alice, 1))
  await turn()
  append(log, line(sites.alice, 2))
  renameSync(log, `${log}.1`)
  await turn()
  t.strictSame(await sums(), ['alice 2026-01: 3'], 'the new file is not there yet')
  append(log, line(sites.alice, 4))
  await turn()
  // nginx writes to the old file until it opens the new one.
  append(`${log}.1`, line(sites.alice, 8))
  await turn()
  t.strictSame(await sums(), ['alice 2026-01: 15'])
  t.equal(await positions(), 2)

  renameSync(`${log}.1`, `${log}.2`)
  renameSync(log, `${log}.1`)
  append(log, line(sites.alice, 16))
  writeFileSync(`${log}.2.gz`, gzipSync(line(sites.alice, 11)))
  rmSync(`${log}.2`)
  await turn()
  t.strictSame(await sums(), ['alice 2026-01: 31'], 'what is compressed has been read')
  t.equal(await positions(), 2, 'and is forgotten')
})

test('what was rotated twice while no worker ran is read', async t => {
  append(log, line(sites.alice, 1))
  await turn()
  append(log, line(sites.alice, 2))
  renameSync(log, `${log}.2`)
  append(`${log}.1`, line(sites.alice, 4))
  append(log, line(sites.alice, 8))
  await turn()
  await turn()
  t.strictSame(await sums(), ['alice 2026-01: 15'])
})

test('a file that was cut off is read again', async t => {
  append(log, line(sites.alice, 100), line(sites.alice, 200))
  await turn()
  truncateSync(log, 0)
  append(log, line(sites.alice, 4))
  await turn()
  t.strictSame(await sums(), ['alice 2026-01: 304'])
})

test('the copy that a rotation by copying leaves does not count again', async t => {
  append(log, line(sites.alice, 100), line(sites.alice, 200))
  await turn()
  append(`${log}.1`, line(sites.alice, 100), line(sites.alice, 200))
  truncateSync(log, 0)
  append(log, line(sites.alice, 4))
  await turn()
  await turn()
  t.strictSame(await sums(), ['alice 2026-01: 304'])
})

test('a number that the file system gives to a new file is another file', async t => {
  append(log, line(sites.alice, 1))
  await turn()
  append(log, line(sites.alice, 2))
  // As if the position belonged to an earlier file, no longer than this one.
  await panel.pool.query(`update panel.log_positions set read_at = '2020-01-01'`)
  await panel.pool.query('update panel.bandwidth_usage set bytes = 0')
  await turn()
  t.strictSame(await sums(), ['alice 2026-01: 3'])
})

test('a device that has another number after a restart is the same file', async t => {
  append(log, line(sites.alice, 1))
  await turn()
  await panel.pool.query('update panel.log_positions set device = device + 1')
  append(log, line(sites.alice, 2))
  await turn()
  await turn()
  t.strictSame(await sums(), ['alice 2026-01: 3'])
  t.equal(await positions(), 1)
})

test('lines of unknown sites and rubbish are passed over', async t => {
  append(
    log,
    line('0', 5),
    line('999999999999999999', 6),
    line('9999999999999999999999', 7),
    line(sites.alice, 1),
    '\n\n\0\0\0 rubbish \xff\n',
    `${line(sites.alice, 2).trim()} more\n`,
    line(sites.alice, 2).replace(' 2 ', ' -2 '),
    line(sites.alice, 2).replace(' 2 ', ' 99999999999999 '),
    '1768478400.000  512 0 400\n',
    line(sites.alice, 4),
  )
  await turn()
  t.strictSame(await sums(), ['alice 2026-01: 5'])
})

test('a large file is read in batches, with a line that has no end in it', async t => {
  const block = line(sites.alice, 10).repeat(10_000)
  for (let count = 0; count < 20; count++) appendFileSync(log, block)
  appendFileSync(log, `${'x'.repeat(3_000_000)}\n`)
  appendFileSync(log, block)
  await turn()
  t.strictSame(await sums(), ['alice 2026-01: 2100000'])
})

test('of two readers at once none counts twice', async t => {
  appendFileSync(log, line(sites.alice, 1).repeat(200_000))
  await panel.pool.query(
    `select worker_queue.add_job('usage/bandwidth', max_attempts => 1::smallint)
     from generate_series(1, 8)`,
  )
  await turn()
  await turn()
  t.strictSame(await sums(), ['alice 2026-01: 200000'])
})

test('bytes of a site that is gone meanwhile are lost, its past stays', async t => {
  append(log, line(sites.alice, 1))
  await turn()
  await panel.call('DELETE', '/api/v1/accounts/alice')
  append(log, line(sites.alice, 2), line(sites.bob, 4))
  await turn()
  t.strictSame(await sums(), ['alice 2026-01: 1', 'bob 2026-01: 4'])
})
