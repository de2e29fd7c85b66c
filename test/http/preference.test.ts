import t from 'tap'
import { readPreference } from '../../src/http/preference.ts'

const aMinute = 60_000

t.test('without a preference a caller waits 60 seconds', async t => {
  const nothing = { waitMs: aMinute, isAsync: false, applied: undefined }
  t.strictSame(readPreference(), nothing)
  for (const other of ['', 'return=minimal', 'wait', 'wait=', 'wait=x', 'wait=-1', 'wait=1.5']) {
    t.strictSame(readPreference([other]), nothing, other)
  }
})

t.test('a caller may wait shorter, but not longer', async t => {
  t.match(readPreference(['wait=0']), { waitMs: 0, isAsync: false, applied: 'wait=0' })
  t.match(readPreference(['wait=7']), { waitMs: 7_000, isAsync: false, applied: 'wait=7' })
  for (const longer of ['wait=61', 'wait=999999999']) {
    t.match(readPreference([longer]), { waitMs: aMinute, applied: 'wait=60' }, longer)
  }
})

t.test('a caller that will not wait may still wait a moment first', async t => {
  t.match(readPreference(['respond-async']), { waitMs: 0, isAsync: true, applied: 'respond-async' })
  const both = { waitMs: 5_000, isAsync: true, applied: 'respond-async, wait=5' }
  t.match(readPreference(['respond-async, wait=5']), both)
  t.match(readPreference(['wait=5', 'respond-async']), both, 'in two headers')
  t.match(readPreference(['Respond-Async; foo="bar" , WAIT = "5"']), both, 'as RFC 7240 allows')
})
