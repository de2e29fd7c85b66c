import { randomBytes } from 'node:crypto'
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { keyFor, seal, unseal } from '../../src/model/server/sealing.ts'
import { readServerKey } from '../../src/model/server/server-key.ts'
import { ensureServerKey } from '../../src/start/server-key.ts'

const folder = t.testdir()

t.test('a start makes the key once, for its owner alone', async t => {
  const path = join(folder, 'key')
  await ensureServerKey(path)
  t.equal(statSync(path).mode & 0o777, 0o600)
  const key = readServerKey(path)
  t.equal(key.length, 32)
  await ensureServerKey(path)
  t.strictSame(readFileSync(path), key)
})

t.test('a start that was interrupted is no obstacle', async t => {
  const path = join(folder, 'interrupted')
  writeFileSync(`${path}.new`, 'half')
  await ensureServerKey(path)
  t.equal(readServerKey(path).length, 32)
})

t.test('a key that is missing, of another length or open to others is refused', async t => {
  const path = join(folder, 'refused')
  t.throws(() => readServerKey(path), { code: 'unavailable', message: /no key/ })
  writeFileSync(path, randomBytes(31), { mode: 0o600 })
  t.throws(() => readServerKey(path), { code: 'unavailable', message: /32 bytes/ })
  writeFileSync(path, randomBytes(32))
  for (const mode of [0o604, 0o620, 0o602, 0o644]) {
    chmodSync(path, mode)
    t.throws(() => readServerKey(path), { code: 'forbidden', message: /open to other users/ })
  }
  // As installed: owned by root, readable for the group of the panel's users.
  chmodSync(path, 0o640)
  t.equal(readServerKey(path).length, 32)
})

t.test('a sealed text opens with the same key, for the same thing, unchanged', async t => {
  const [key, other] = [keyFor('a', 'secret'), keyFor('b', 'secret')]
  const sealed = seal(Buffer.from('text'), key, 'thing')
  t.equal(`${unseal(sealed, key, 'thing')}`, 'text')
  t.notOk(sealed.includes('text'))
  t.notSame(seal(Buffer.from('text'), key, 'thing'), sealed)
  t.throws(() => unseal(sealed, other, 'thing'))
  t.throws(() => unseal(sealed, key, 'other'))
  for (const index of [0, 12, 28]) {
    const changed = Buffer.from(sealed)
    changed[index]! ^= 1
    t.throws(() => unseal(changed, key, 'thing'))
  }
})
