import t from 'tap'
import { readFlash, writeFlash } from '../../src/web/flash.ts'
import { cookiesAt } from '../../src/web/session-cookie.ts'

const { flash } = cookiesAt('https://panel.test')

/** As a browser sends it back. */
const kept = (value: string) =>
  readFlash(flash.read({ headers: { cookie: flash.toHeader(value).split(';')[0] } } as never))

t.test('the next page says it in its tone', async t => {
  t.strictSame(kept(writeFlash('It is done.')), { tone: 'good', sentence: 'It is done.' })
  const failed = { tone: 'bad', sentence: 'ERROR 1044\nat line 2' } as const
  t.strictSame(kept(writeFlash(failed)), failed)
})

t.test('a message too long for the cookie is cut between two characters', async t => {
  for (const letter of ['x', 'ü', '語', '😀']) {
    const { tone, sentence } = kept(writeFlash({ tone: 'warn', sentence: letter.repeat(900) }))!
    t.equal(tone, 'warn')
    t.match(sentence, new RegExp(`^(${letter}){100,}…$`, 'u'))
  }
})

t.test('a message that is not ours is not shown', async t => {
  for (const value of ['', 'x', Buffer.from('<b>').toString('base64url')]) {
    t.equal(kept(value), undefined)
  }
})
