import { spawn } from 'node:child_process'
import { once } from 'node:events'
import t from 'tap'
import { openQuiet } from '../../src/host/php/keeper.ts'

// Real processes stand for php-fpm: a shell that runs a child for each line that it gets.

const master = spawn('sh', ['-c', 'echo ready; while read line; do /bin/true; echo done; done'])
t.teardown(() => master.kill('SIGKILL'))
await once(master.stdout, 'data')
const pid = master.pid!
const ask = async () => {
  master.stdin.write('a request\n')
  await once(master.stdout, 'data')
}

t.test('PHP is quiet when its master has been alone for long enough', async t => {
  const quiet = openQuiet(1_000)
  t.strictSame(quiet(new Map([[20_001, [pid]]]), 0), [])
  t.strictSame(quiet(new Map([[20_001, [pid]]]), 999), [])
  t.strictSame(quiet(new Map([[20_001, [pid]]]), 1_000), [20_001])
})

t.test('a child that has come and gone between two looks is a request', async t => {
  const quiet = openQuiet(1_000)
  const look = (now: number) => quiet(new Map([[20_001, [pid]]]), now)
  look(0)
  await ask()
  t.strictSame(look(1_500), [])
  t.strictSame(look(2_499), [])
  t.strictSame(look(2_500), [20_001])
})

t.test('a child keeps PHP for as long as it lives, and another master begins again', async t => {
  const quiet = openQuiet(1_000)
  t.strictSame(quiet(new Map([[20_001, [pid]]]), 0), [])
  t.strictSame(quiet(new Map([[20_001, [pid, process.pid]]]), 5_000), [])
  t.strictSame(quiet(new Map([[20_001, [pid]]]), 5_001), [])
  t.strictSame(quiet(new Map([[20_001, [process.pid]]]), 9_000), [])
  t.strictSame(quiet(new Map(), 9_001), [])
  t.strictSame(quiet(new Map([[20_001, [999_999_999]]]), 10_000), [], 'one that has ended')
})
