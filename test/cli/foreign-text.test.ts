import t from 'tap'
import { json, lines, oneLine } from '../../src/cli/foreign-text.ts'

// Text from outside moves no cursor, and a script gets all of it.

t.test('JSON loses no character, and shows none that is not seen', async t => {
  const hostile = 'a\u2028b\u200ec\ufeffd\u001b[2Je\u009b31mf\u202eg\ud800h\u007f\r\n\ti"\\'
  const result = { text: hostile, [hostile]: [hostile], people: 'Zoë 不行 🙂' }
  const line = json(result)
  t.strictSame(JSON.parse(line), result)
  t.match(line, /"a\\u2028b\\u200ec\\ufeffd\\u001b\[2Je\\u009b31mf\\u202eg\\ud800h\\u007f/)
  t.match(line, /^[ -~Zoë不行🙂]+\n$/u)
})

t.test('a person is shown the text without them', async t => {
  t.equal(oneLine('a\u2028b\u200e\u001b[2J\r\n\tc'), 'ab[2J c')
  t.equal(lines('a\u200e\nb\u001b'), 'a\nb')
})
