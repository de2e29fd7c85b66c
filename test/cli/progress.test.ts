import { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { openProgress } from '../../src/cli/progress.ts'

function terminal(isTTY: boolean) {
  let seen = ''
  const stderr = new Writable({
    write(text, _encoding, done) {
      seen += String(text)
      done()
    },
  })
  return { stderr: Object.assign(stderr, { isTTY }), seen: () => seen }
}

t.test('a bar is shown on a terminal, for what takes long, and taken away', async t => {
  const [slow, quick, piped] = [terminal(true), terminal(true), terminal(false)]
  const bars = [slow, quick, piped].map(one => openProgress(one.stderr, 'Looking', 4))
  for (const bar of bars) bar.add()
  bars[1]!.end()
  await sleep(2_200)
  for (const bar of bars) bar.end()
  t.match(slow.seen(), /Looking \[=+-+\] 1 of 4/)
  t.match(slow.seen(), /\u001b\[\?25h/, 'the cursor is back')
  t.strictSame([quick.seen(), piped.seen()], ['', ''])
})
