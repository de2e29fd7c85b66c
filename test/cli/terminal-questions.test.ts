import { PassThrough } from 'node:stream'
import t from 'tap'
import { askUntil, confirm, yesOrNo } from '../../src/cli/terminal-questions.ts'
import { until } from '../support/until.ts'

function terminal() {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin })
  const stderr = Object.assign(new PassThrough(), { isTTY: true })
  let all = ''
  stderr.on('data', (text: Buffer) => (all += text.toString()))
  /** Types a line once the question was shown this often. */
  const type = async (question: string, count: number, line: string) => {
    await until(() => all.split(question).length > count)
    stdin.write(`${line}\r`)
  }
  return { terminal: { stdin, stderr }, type, shown: () => all }
}

for (const [answer, is] of [
  ['y', true],
  ['YES', true],
  ['', false],
  ['n', false],
  ['No', false],
] as const) {
  t.test(`«${answer}» is ${is ? 'yes' : 'no'}`, async t => t.equal(yesOrNo(answer), is))
}

for (const answer of ['ye', 'yess', 'yes please', '1', 'true', 'nein', 'ja']) {
  t.test(`«${answer}» is neither`, async t => {
    t.throws(() => yesOrNo(answer), { code: 'invalid', message: 'Type yes or no' })
  })
}

t.test('a question is asked again until its answer passes', async t => {
  const { terminal: at, type, shown } = terminal()
  const asking = askUntil(at, 'Sure? ', yesOrNo)
  for (const [index, line] of ['yse', 'jes', ' yes '].entries()) {
    await type('Sure? ', index + 1, line)
  }
  t.equal(await asking, true)
  t.equal(shown().split('Type yes or no').length, 3)
})

t.test('an input that ends is no answer', async t => {
  const { terminal: at } = terminal()
  at.stdin.write('\u0004')
  await t.rejects(askUntil(at, 'Sure? ', yesOrNo), { message: /Interrupted/ })
})

t.test('a confirmation takes yes alone, asks again after a slip, and ends with no', async t => {
  const sure = terminal()
  const confirmed = confirm(sure.terminal, 'Go on?')
  await sure.type('Type yes to continue', 1, 'y')
  await sure.type('Type yes to continue', 2, 'yse')
  await sure.type('Type yes to continue', 3, 'Yes')
  await confirmed
  for (const no of ['', 'no']) {
    const unsure = terminal()
    const refused = confirm(unsure.terminal, 'Go on?')
    await unsure.type('Type yes to continue', 1, no)
    await t.rejects(refused, { message: 'Not confirmed; nothing was changed' })
  }
})
