import t from 'tap'
import { redact } from '../src/log.ts'

t.test('a value under a secret’s name is never logged, however deep it lies', async t => {
  const facts = {
    password: 'a1',
    nested: { apiToken: 'a2', list: [{ webhookSecret: 'a3' }] },
    headers: { authorization: 'Bearer a4', cookie: 'a5' },
    passwordHash: 'a6',
    account: 'alice',
  }
  const logged = JSON.stringify(redact(facts))
  t.notMatch(logged, /a[1-6]/)
  t.match(logged, /alice/)
})

t.test('text that looks like a secret is cut out of every text', async t => {
  const logged = JSON.stringify(
    redact({
      message: 'token pnl_abcDEF-123 refused',
      line: 'alice:$6$salt$hash/x.y:1',
      owner: 'admin:$argon2id$v=19$m=7168,t=5,p=1$c2FsdA$aGFzaA and so on',
      url: 'postgresql://user:hunter2@host/panel',
      long: `${'x'.repeat(8_170)} postgresql://user:hunter2@host/panel`,
    }),
  )
  t.notMatch(logged, /abcDEF|salt|hunter2|c2FsdA|aGFzaA/)
  t.match(logged, 'and so on')
})

t.test('an error keeps its message, stack and cause, and loses what quotes a row', async t => {
  const cause = Object.assign(new Error('inner'), { detail: 'Key (email)=(x) exists' })
  const logged = redact(new Error('outer', { cause })) as Record<string, unknown>
  t.match(logged, { name: 'Error', message: 'outer', cause: { message: 'inner' } })
  t.notMatch(JSON.stringify(logged), /Key/)
})

t.test('a structure without end is not followed', async t => {
  const loop: Record<string, unknown> = {}
  loop['self'] = loop
  t.match(JSON.stringify(redact(loop)), /not logged/)
})
