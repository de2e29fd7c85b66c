import t from 'tap'
import { hbaRules, withRules } from '../../src/install/access-rules.ts'

const own = '# TYPE DATABASE\nlocal all all peer\n'

t.test('rules come before all others, once, and go again', async t => {
  const once = withRules(own, hbaRules())
  t.ok(once.endsWith(`\n${own}`))
  t.ok(once.indexOf('local panel') < once.indexOf('local all all peer'))
  t.equal(withRules(once, hbaRules()), once)
  t.equal(withRules(once, []), own)
  t.equal(withRules(own, []), own)
  const other = withRules(once, ['local panel all reject'])
  t.equal(withRules(other, hbaRules()), once)
})
