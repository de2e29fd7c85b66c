import { PassThrough } from 'node:stream'
import t from 'tap'
import { showProgress } from '../../src/cli/step-progress.ts'

const open = (isTTY: boolean, columns?: number) => {
  const stderr = Object.assign(new PassThrough(), { isTTY, columns })
  return { ...showProgress(stderr), seen: () => `${stderr.read() ?? ''}` }
}

t.test('on a terminal it is one line, which is cut and taken away', async t => {
  const { show, clear, seen } = open(true, 40)
  show(4.7, 'Unpacking nginx')
  t.equal(seen(), '\r        4 %  Unpacking nginx\u001b[K')
  show(100, `Setting up ${'x'.repeat(60)}\u001b[2J\n`)
  const [line = ''] = seen().split('\u001b[K')
  t.match(line, /^\r {6}100 % {2}Setting up x+…$/)
  t.equal(line.length, 40, '39 columns behind the return')
  clear()
  t.equal(seen(), '\r\u001b[K')
  clear()
  t.equal(seen(), '')
})

t.test('a terminal that does not know how wide it is is taken for one of 80 columns', async t => {
  for (const columns of [0, undefined]) {
    const { show, seen } = open(true, columns)
    show(50, 'Unpacking nginx')
    t.equal(seen(), '\r       50 %  Unpacking nginx\u001b[K')
  }
})

t.test('elsewhere it is a line for each fifth', async t => {
  const { show, clear, seen } = open(false)
  for (let percent = 0; percent <= 100; percent += 0.5) show(percent, 'Unpacking nginx')
  clear()
  const lines = seen().split('\n').slice(0, -1)
  t.strictSame(
    lines.map(line => parseInt(line, 10)),
    [0, 20, 40, 60, 80, 100],
  )
})
