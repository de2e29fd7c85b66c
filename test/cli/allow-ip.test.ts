import t from 'tap'
import { listRanges } from '../../src/model/signing-in/sign-in-ranges.ts'
import { panelFor, runPanel } from '../support/cli/run-panel.ts'

const { pool, environment, panel } = await panelFor(t)
const allowIp = (...words: string[]) => panel(['ctl', 'allow-ip', ...words])

t.test('adds to the list and shows it', async t => {
  const result = await allowIp('--add', '192.0.2.7', '--add', '2001:DB8::/32', '--json')
  t.match(result, {
    code: 0,
    stderr: 'panel: administrators can sign in from these addresses only\n',
  })
  t.strictSame(result.json(), { allowed: ['192.0.2.7/32', '2001:db8::/32'] })
  const more = await allowIp('--add', '10.0.0.0/8', '--add', '192.0.2.7')
  t.match(more, { code: 0, stdout: '10.0.0.0/8\n192.0.2.7/32\n2001:db8::/32\n' })
  for (const words of [['--list'], []]) {
    t.match(await allowIp(...words), { code: 0, stdout: more.stdout, stderr: '' })
  }
})

t.test('refuses what is no range, and changes nothing', async t => {
  const before = await listRanges(pool)
  const wrong = [
    ['--add', 'nowhere'],
    ['--add', '192.0.2.7/24'],
    ['--add', '10.1.0.0/16', '--clear', '--add', '::/129'],
    ['10.1.0.0/16'],
  ]
  for (const words of wrong) {
    t.match(await allowIp(...words), { code: 2, stdout: '', stderr: /\w/ })
  }
  const many = Array.from({ length: 100 }, (_, number) => ['--add', `10.${number}.0.0/16`]).flat()
  t.match(await allowIp(...many), {
    code: 1,
    stdout: '',
    stderr: 'panel: The list can have at most 100 ranges\n',
  })
  t.strictSame(await listRanges(pool), before)
})

t.test('makes another list, and clears it for an administrator who is locked out', async t => {
  const other = await allowIp('--clear', '--add', '198.51.100.0/24', '--json')
  t.strictSame(other.json(), { allowed: ['198.51.100.0/24'] })
  for (const _time of [1, 2]) {
    const result = await runPanel(['ctl', 'allow-ip', '--clear'], environment)
    t.match(result, {
      code: 0,
      stdout: '',
      stderr: 'panel: administrators can sign in from any address\n',
    })
    t.strictSame(await listRanges(pool), [])
  }
})
