import t from 'tap'
import { follow } from '../../src/host/tools/follow.ts'

const steps = [{ name: 'hangs' }, { name: 'next' }, { name: 'last' }]

async function done(timeoutMs: number): Promise<string[]> {
  const names: string[] = []
  const act = async ({ name }: { name: string }) => {
    names.push(name)
    if (name === 'hangs') throw new Error('it has hung')
  }
  const list = follow(
    steps,
    act,
    (_name, work) => work(),
    () => true,
    timeoutMs,
  )
  await t.rejects(list, { message: 'it has hung' }, 'the first error is reported')
  return names
}

t.test('a list goes on past a failure until its limit', async t => {
  t.strictSame(await done(-1), ['hangs'])
  t.strictSame(await done(Infinity), ['hangs', 'next', 'last'])
})
