import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { claimStateDir, ensureStateDir } from '../../src/start/state-dir.ts'
import { scratch } from '../support/scratch.ts'

const isRoot = process.getuid?.() === 0

t.test('makes a state directory that is ours alone', t => {
  const path = join(scratch(t), 'some/where')
  t.equal(ensureStateDir(path), path)
  t.equal(statSync(path).mode & 0o777, 0o700)
  chmodSync(path, 0o755)
  ensureStateDir(path)
  t.equal(statSync(path).mode & 0o777, 0o700, 'closes one that others could read')
  t.end()
})

t.test('refuses one that others may write', t => {
  const path = join(scratch(t), 'state')
  mkdirSync(path)
  for (const mode of [0o770, 0o707, 0o1777]) {
    chmodSync(path, mode)
    t.throws(() => ensureStateDir(path), {
      code: 'forbidden',
      message:
        /^The state directory .* is writable by others: if it is yours, run chmod go-w on it$/,
    })
    t.equal(statSync(path).mode & 0o7777, mode, 'and leaves it as it is')
  }
  t.end()
})

t.test('refuses one that belongs to another user', { skip: !isRoot && 'needs root' }, t => {
  const path = join(scratch(t), 'state')
  mkdirSync(path, { mode: 0o700 })
  chownSync(path, 65534, 65534)
  t.throws(() => ensureStateDir(path), { code: 'forbidden', message: /belongs to another user/ })
  t.end()
})

t.test('is claimed by one process, until that one ends', async t => {
  const path = scratch(t)
  const claim = `
    import { claimStateDir } from '${join(import.meta.dirname, '../../src/start/state-dir.ts')}'
    claimStateDir('${path}')
    console.log('claimed')
    setInterval(() => {}, 1000)`
  const holder = spawn(process.execPath, ['--input-type=module', '--eval', claim])
  const [output] = (await once(holder.stdout, 'data')) as [Buffer]
  t.equal(`${output}`, 'claimed\n')
  t.throws(() => claimStateDir(path), {
    code: 'busy',
    message: `A panel (process ${holder.pid}) already runs on ${path}`,
  })
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  claimStateDir(path)
})
