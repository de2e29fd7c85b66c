import { existsSync, readdirSync } from 'node:fs'
import t from 'tap'
import { apply } from '../../src/host/apply.ts'
import { alice, bob, sandbox, straight, tree } from './fixtures/sandbox.ts'

// Refuses a configuration in which a staged file names a site `bad.example`.
const picky = (staging: string) =>
  `if grep -q bad.example ${staging}/*.conf 2>/dev/null; then echo bad site >&2; exit 1; fi`

t.test('accounts at the same time share tests and reloads', async t => {
  const { machine, standIn, calls } = await sandbox(t)
  standIn('nginx', 'sleep 0.05')
  standIn('systemctl')
  const accounts = Array.from({ length: 16 }, (_, index) => ({
    ...alice,
    uid: 20_100 + index,
    username: `user${index}`,
    sites: [{ id: String(100 + index), domain: `d${index}.example` }],
  }))
  await Promise.all(accounts.map(account => apply(machine, account, straight)))
  const reloads = calls().filter(call => call === 'systemctl reload -- nginx').length
  t.ok(reloads >= 1 && reloads <= 4, `${reloads} reloads`)
  t.equal(readdirSync(machine.path('/etc/nginx/panel/sites')).length, 16)
})

t.test('a bad site never goes live and fails nobody else', async t => {
  const { root, machine, standIn } = await sandbox(t)
  await apply(machine, bob, straight)
  const before = tree(root)['etc/nginx/panel/sites/8.conf']
  standIn('nginx', picky(machine.path('/etc/nginx/panel/staging')))
  const bad = { ...bob, sites: [{ id: '8', domain: 'bad.example' }] }
  const [good, refused] = await Promise.allSettled([
    apply(machine, alice, straight),
    apply(machine, bad, straight),
  ])
  t.equal(good.status, 'fulfilled')
  t.match(refused, { reason: /nginx ended with 1: bad site/ })
  t.ok(existsSync(machine.path('/etc/nginx/panel/sites/7.conf')))
  t.equal(tree(root)['etc/nginx/panel/sites/8.conf'], before)
  t.strictSame(readdirSync(machine.path('/etc/nginx/panel/staging')), [])
})

t.test('what an interrupted test left is not part of the next', async t => {
  const { machine, standIn } = await sandbox(t)
  const staging = machine.path('/etc/nginx/panel/staging')
  standIn('nginx', picky(staging))
  const bad = { ...bob, sites: [{ id: '8', domain: 'bad.example' }] }
  await t.rejects(apply(machine, bad, straight))
  await apply(machine, alice, straight)
})

t.test('a reload that failed is done by the next run, though every file agrees', async t => {
  const { machine, standIn, calls } = await sandbox(t)
  standIn('systemctl', 'case "$*" in *nginx*) exit 1;; esac')
  await t.rejects(apply(machine, alice, straight), /systemctl ended with 1/)
  standIn('systemctl')
  calls()
  await apply(machine, alice, straight)
  t.ok(calls().includes('systemctl reload -- nginx'))
})
