import t from 'tap'
import { emit, openHooks } from '../support/hooks/hooks.ts'

// The slots of hook scripts are woken by their own jobs only: no sweeper runs here.

const { setInterval } = globalThis
globalThis.setInterval = Object.assign(
  (work: () => void, ms: number) => setInterval(work, ms === 1_000 ? 2 ** 30 : ms),
  setInterval,
)
t.teardown(() => void (globalThis.setInterval = setInterval))

const { pool, script, ended, scriptsOf } = await openHooks(t)
script('account.created', 'first', 'true')

t.test('each of them runs its scripts at once', async t => {
  for (let run = 0; run < 3; run++) {
    const id = await emit(pool, 'account.created', {})
    await ended()
    t.match(await scriptsOf(id), [{ name: 'first', outcome: 'succeeded' }])
  }
})
