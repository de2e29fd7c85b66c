import t from 'tap'
import { byService, isOfService, merge } from '../../src/model/accounts/warnings.ts'

const quota = { code: 'disk_not_limited', sentence: 'There is no quota' }
const nginx = { code: 'websites_down', sentence: 'nginx is not running' }
const mariadb = { code: 'databases_down', sentence: 'MariaDB does not answer' }

t.test('the latest sentence of each code stays', async t => {
  const later = { ...quota, sentence: 'Quota is switched off' }
  t.strictSame(merge([quota, nginx], [later]), [later, nginx])
  t.strictSame(merge([quota, quota]), [quota])
  t.strictSame(merge([]), [])
})

t.test('services go by the code, whatever the sentence says', async t => {
  t.strictSame([quota, nginx, mariadb].map(isOfService), [false, true, true])
  t.strictSame(byService([quota, nginx, mariadb]), {
    websites: nginx.sentence,
    databases: mariadb.sentence,
  })
  t.notOk(isOfService({ ...nginx, code: 'of_a_later_release' }))
})
