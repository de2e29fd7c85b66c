import { PassThrough } from 'node:stream'
import t from 'tap'
import { newPassword } from '../../src/cli/password.ts'
import { until } from '../support/until.ts'

// A terminal, which shows only what the program writes.
function terminal() {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin })
  const stderr = Object.assign(new PassThrough(), { isTTY: true })
  return { stdin, stderr, shown: () => `${stderr.read() ?? ''}` }
}

const asked = 'New password (leave empty to generate one): \nRepeat: \n'

t.test('asks twice at a terminal and shows nothing of the answers', async t => {
  const { stdin, stderr, shown } = terminal()
  stdin.write('first s\u007f secret\rfirst  secret\r')
  t.strictSame(await newPassword({ stdin, stderr }, false), {
    password: 'first  secret',
    isGenerated: false,
  })
  t.equal(shown(), asked)
})

t.test('asks again after a slip, and says which', async t => {
  const { stdin, stderr, shown } = terminal()
  stdin.write('first secret\r')
  const asking = newPassword({ stdin, stderr }, false)
  await until(() => stdin.readableLength === 0)
  stdin.write('second secret\r')
  const seen: string[] = []
  const sees = (words: string) => until(() => seen.push(shown()) && seen.join('').includes(words))
  await sees('The passwords do not match\nNew password')
  stdin.write('short\rshort\r')
  await sees('The password must have')
  stdin.write('long enough\rlong enough\r')
  t.strictSame(await asking, { password: 'long enough', isGenerated: false })
})

t.test('makes one if the answer is empty', async t => {
  const { stdin, stderr, shown } = terminal()
  stdin.write('\r')
  t.match(await newPassword({ stdin, stderr }, false), { isGenerated: true })
  t.equal(shown(), 'New password (leave empty to generate one): \n')
})

t.test('Ctrl-C and Ctrl-D end it', async t => {
  for (const key of ['\u0003', '\u0004']) {
    const { stdin, stderr } = terminal()
    stdin.write(key)
    await t.rejects(newPassword({ stdin, stderr }, false), { message: /Interrupted/ })
  }
})

t.test('reads bytes that are no text as no password', async t => {
  const { stdin, stderr } = terminal()
  stdin.end(Buffer.from([0xff, 0xfe, 0x41, 0x41, 0x41, 0x41, 0x41, 0x41, 0x41]))
  await t.rejects(newPassword({ stdin, stderr }, true), { message: /not UTF-8/ })
})
