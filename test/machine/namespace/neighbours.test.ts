import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { alice } from '../../support/panel.ts'
import { openLinuxPanel, putFile, run, sftp, startServices, expectPage, visit } from '../machine.ts'

// A fault around one account fails only its own operation, with a sentence that says why; a
// neighbour's website is visited throughout and always answers.

// Small, so that it can be filled.
await run('mount', ['-t', 'tmpfs', '-o', 'size=16m,mode=755', 'tmpfs', '/home'])
startServices('nginx', 'sshd')
const panel = await openLinuxPanel(t)
await panel.startMachineWorker()
await panel.call('PUT', '/api/v1/packages/starter', { body: {} })

const create = (username: string) =>
  panel.call('POST', '/api/v1/accounts', {
    key: username,
    body: { ...alice, username, domain: `${username}.example` },
  })
const uidOf = async (username: string) => {
  const { rows } = await panel.pool.query('select uid from panel.accounts where username = $1', [
    username,
  ])
  return rows[0].uid
}
const reasonOf = async (username: string): Promise<string> => {
  const { rows } = await panel.pool.query(
    'select error from panel.operations where username = $1 order by started_at desc limit 1',
    [username],
  )
  return rows[0].error
}

// From the first test until the last.
const seen = { visits: 0, bad: [] as string[] }
let isOver = false
let visiting: Promise<void>

t.test('there is a neighbour', async t => {
  t.equal((await create('neighbour')).status, 201)
  const page = '/home/neighbour/sites/neighbour.example/public/page.php'
  await putFile({ uid: await uidOf('neighbour') }, page, '<?php echo "at home";')
  await expectPage('neighbour.example', '/page.php', /at home/)
  visiting = keepVisiting()
})

async function keepVisiting(): Promise<void> {
  while (!isOver) {
    const { status, text } = await visit('neighbour.example', '/page.php').catch(error => ({
      status: 0,
      text: String(error),
    }))
    seen.visits++
    if (text !== 'at home') seen.bad.push(`${status} ${text}`)
    await sleep(30)
  }
}

t.test('nginx broken by hand fails no operation', async t => {
  const own = readFileSync('/etc/nginx/nginx.conf', 'utf8')
  appendFileSync('/etc/nginx/nginx.conf', 'gibberish')
  t.equal((await create('one')).status, 201)
  t.equal((await visit('one.example')).status, 200)
  const act = (verb: string) => panel.call('POST', `/api/v1/accounts/one/${verb}`, { body: {} })
  t.equal((await act('suspend')).status, 200)
  t.equal((await visit('one.example')).status, 503)
  t.equal((await act('unsuspend')).status, 200)
  t.equal((await visit('one.example')).status, 200)
  writeFileSync('/etc/nginx/nginx.conf', own)
  t.equal((await create('two')).status, 201)
})

t.test('a user that was deleted by hand is made again by the next operation', async t => {
  await run('userdel', ['-f', 'two'])
  const path = '/api/v1/accounts/two/password'
  const set = await panel.call('PUT', path, { body: { password: 'another horse battery' } })
  t.equal(set.status, 200, set.text)
  t.match(readFileSync('/etc/passwd', 'utf8'), `two:x:${await uidOf('two')}:`)
  t.equal((await visit('two.example')).status, 200)
})

t.test('a full disk', async t => {
  await run('dd', ['if=/dev/zero', 'of=/home/ballast', 'bs=1M'])
  t.equal((await create('three')).status, 500)
  t.match(await reasonOf('three'), /No space left|ENOSPC/)
  t.notMatch(readFileSync('/etc/passwd', 'utf8'), 'three')
  rmSync('/home/ballast')
  t.equal((await create('three')).status, 201)
})

t.test('a full disk below all else', async t => {
  const before = readFileSync('/etc/passwd', 'utf8')
  await run('dd', ['if=/dev/zero', 'of=/var/ballast', 'bs=1M'])
  t.equal((await create('full')).status, 500)
  t.match(await reasonOf('full'), /No space left|ENOSPC|failure while writing/)
  const suspend = await panel.call('POST', '/api/v1/accounts/one/suspend', { body: {} })
  t.equal(suspend.status, 500, suspend.text)
  t.match(await panel.call('GET', '/api/v1/accounts/one'), { body: { state: 'active' } })
  rmSync('/var/ballast')
  t.equal(readFileSync('/etc/passwd', 'utf8'), before, 'the user database is whole')
  t.equal((await create('full')).status, 201)
  t.equal((await visit('one.example')).status, 200)
  t.equal((await sftp('full', alice.password, 'pwd\n')).code, 0)
})

// They share one queue for the tools; none may wait as long as all others together.
const waiting = ['five', 'six', 'seven', 'eight', 'nine', 'ten']

t.test('the user database locked by another program, for long', async t => {
  writeFileSync('/etc/group.lock', String(process.pid))
  const begunAt = performance.now()
  for (const { status } of await Promise.all(waiting.map(create))) t.equal(status, 500)
  // A single one waits half a minute at most.
  t.ok(performance.now() - begunAt < 90_000, 'no account waits for the sum of all others')
  for (const username of waiting) t.match(await reasonOf(username), /cannot lock \/etc\/group/)
  t.notMatch(readFileSync('/etc/passwd', 'utf8'), new RegExp(`^(${waiting.join('|')}):`, 'm'))
  t.equal((await visit('one.example')).status, 200)
})

t.test('the user database locked by another program, for a while', async t => {
  const creating = Promise.all(waiting.map(create))
  await sleep(1_000)
  rmSync('/etc/group.lock')
  for (const { status, text } of await creating) t.equal(status, 201, text)
})

t.test('PHP of an account that takes all it can', async t => {
  const uid = await uidOf('five')
  const folder = '/home/five/sites/five.example/public'
  await putFile({ uid }, `${folder}/burn.php`, '<?php for (;;) if (!pcntl_fork()) ; // never')
  const burning = Array.from({ length: 4 }, () =>
    visit('five.example', '/burn.php').catch(() => {}),
  )
  await sleep(500)
  t.equal((await panel.call('POST', '/api/v1/accounts/five/suspend', { body: {} })).status, 200)
  await Promise.all(burning)
  t.equal((await run('pgrep', ['-U', String(uid)])).stdout, '')
})

t.test('the neighbour was at home all the time', async t => {
  isOver = true
  await visiting
  t.ok(seen.visits > 100, `${seen.visits} visits`)
  t.strictSame(seen.bad, [])
})
