import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { openLines, readInbox, sendMail } from '../../support/line-client.ts'
import { alice } from '../../support/panel.ts'
import { until } from '../../support/until.ts'
import { mailCommands, password, untilReady } from '../mail-hosting.ts'
import { run } from '../machine.ts'
import { openStagedPanel } from '../plans.ts'

// The worker is killed before and after each program that an operation of mail runs, while Postfix
// and Dovecot serve. The next worker completes it, and no mail is accepted and bounced.

const panel = await openStagedPanel(t)
const { enable, panelCall } = mailCommands(t, panel)
const must = async (words: string[], input?: string) => {
  const { code, stderr } = await panelCall(['mail', ...words, '--wait', '120'], input)
  if (code !== 0) throw new Error(`${words.join(' ')}: ${stderr}`)
}

// Operations are undone after six interruptions; here each has more.
const forget = setInterval(() => {
  const isInterrupted = `state in ('running', 'undoing') and starts > 1`
  void panel.pool.query(`update panel.operations set starts = 1 where ${isInterrupted}`)
}, 100)
t.teardown(() => clearInterval(forget))

const [plan, calls] = ['/tmp/kill-at', '/tmp/calls']
const moments = ['before', 'after'] as const

// Stand-ins that kill the worker at the call whose number the plan has; the plan is then over.
function wrap(program: string): void {
  const folders = ['/usr/sbin', '/usr/bin']
  const real = folders.map(folder => `${folder}/${program}`).find(path => existsSync(path))
  const text = `#!/bin/sh
echo ${program} >>${calls}
[ -e ${plan} ] || exec ${real} "$@"
read -r number moment <${plan}
[ "$(wc -l <${calls})" -eq "$number" ] || exec ${real} "$@"
rm ${plan}
[ "$moment" = before ] || ${real} "$@"
kill -KILL $PPID
exec sleep 60
`
  writeFileSync(`/usr/local/sbin/${program}`, text, { mode: 0o755 })
}

let client = 0
/** Returns what a server outside is answered about this recipient. */
async function answerTo(to: string): Promise<string> {
  // Postfix counts connections, and errors, of each address.
  const localAddress = `127.0.1.${(client++ % 200) + 1}`
  const lines = await openLines({ port: 25, localAddress })
  await lines.next(/^220 /)
  await lines.smtp('EHLO client.example')
  await lines.smtp('MAIL FROM:<eve@outside.example>')
  const answer = await lines.smtp(`RCPT TO:<${to}>`)
  lines.close()
  return answer.slice(0, 3)
}

/** Asks again and again until it is stopped; returns the answers in turn, each once. */
function watch(to: string) {
  const seen: string[] = []
  let isOver = false
  t.teardown(() => (isOver = true))
  const asking = (async () => {
    while (!isOver) {
      const answer = await answerTo(to)
      if (seen.at(-1) !== answer) seen.push(answer)
      await sleep(50)
    }
  })()
  return async () => {
    isOver = true
    await asking
    return seen
  }
}

/** Kills the worker at each call of the operation in turn, and returns the programs it called. */
async function atEachCall(
  t: Test,
  { before, act, expect }: Record<'before' | 'act' | 'expect', () => Promise<unknown>>,
): Promise<string[]> {
  for (let number = 1; ; number++) {
    let called: string[] = []
    for (const moment of moments) {
      rmSync(plan, { force: true })
      await before()
      writeFileSync(calls, '')
      writeFileSync(plan, `${number} ${moment}\n`)
      await act()
      const isKilled = !existsSync(plan)
      called = readFileSync(calls, 'utf8').trim().split('\n')
      rmSync(plan, { force: true })
      await expect()
      if (!isKilled) {
        t.comment(`${number - 1} calls: ${called.join(' ')}`)
        return called
      }
    }
  }
}

const events = async (name: string): Promise<number> => {
  const { rows } = await panel.pool.query('select from panel.events where name = $1', [name])
  return rows.length
}

const noBounce = async (t: Test) =>
  t.match((await run('postqueue', ['-p'])).stdout, /Mail queue is empty/)

const receive = (to: string, subject: string) =>
  sendMail({
    ...{ port: 25, from: 'eve@outside.example', to },
    text: `From: eve@outside.example\nTo: ${to}\nSubject: ${subject}\n\nHi.\n`,
  })

const isTaken = async (to: string) => (await answerTo(to)) === '250'
const domain = 'alice.example'
const box = `info@${domain}`
const kept = `kept@${domain}`
const addDomain = (username: string, name: string) => must(['domain', 'add', username, name])
const addBox = (username: string, address: string) =>
  must(['mailbox', 'add', username, address, '--password-stdin'], `${password}\n`)
const seen = (name: string) =>
  panel.pool.query(`select panel.record_mail_domain_seen($1, 'txt')`, [name])

/** Returns whether no operation is to be done. */
const isApplied = async () => {
  const { rows } = await panel.pool.query(
    `select from panel.operations where state not in ('done', 'failed')
     union all select from panel.accounts where not is_applied`,
  )
  return rows.length === 0
}

t.test('mail is switched on, and an account has a mailbox', async t => {
  t.equal((await enable('--take-over')).code, 0)
  t.ok(await untilReady())
  const body = { max_mailboxes: 1_000, memory_mb: 64, max_sites: 2 }
  await panel.call('PUT', '/api/v1/packages/starter', { body })
  await panel.call('POST', '/api/v1/accounts', { body: alice })
  for (const program of ['postmap', 'postfix', 'doveadm']) wrap(program)
  await addDomain('alice', domain)
  await addBox('alice', kept)
  await seen(domain)
  t.ok(await until(() => isTaken(kept), 20_000))
})

t.test('adding a mailbox', async t => {
  let number = 0
  let address = box
  let stop = watch(kept)
  const called = await atEachCall(t, {
    async before() {
      address = `new${++number}@${domain}`
      stop = watch(address)
    },
    act: () => addBox('alice', address),
    async expect() {
      t.equal((await receive(address, 'First')).code, 250, `${address}: the first is taken`)
      t.match((await stop()).join(' '), /^(550 )?250$/, `${address}: never refused again`)
      const isThere = async () => (await readInbox(address, password)).messages.length === 1
      t.ok(await until(isThere, 10_000), address)
    },
  })
  t.match(called.join(' '), /doveadm.*postmap/, 'Dovecot knows it before Postfix')
  t.equal(await events('mail.mailbox_created'), number + 1, 'an event for each')
  await noBounce(t)
})

t.test('removing a mailbox', async t => {
  let number = 0
  let stop = watch(kept)
  await stop()
  const called = await atEachCall(t, {
    async before() {
      await addBox('alice', box)
      number++
      stop = watch(box)
      await until(() => isTaken(box))
    },
    act: () => must(['mailbox', 'rm', 'alice', box, '--yes']),
    async expect() {
      t.equal(await answerTo(box), '550')
      t.match((await stop()).join(' '), /^250( 550)?$/, 'never taken again')
      t.not((await readInbox(box, password)).error, undefined)
      const aside = `/home/alice/files/removed-${box}${number > 1 ? `-${number}` : ''}`
      t.ok(existsSync(aside), aside)
    },
  })
  t.match(called.join(' '), /postmap.*doveadm$/, 'Postfix forgets it before Dovecot')
  t.equal(await answerTo(kept), '250')
  await noBounce(t)
})

t.test('adding a domain that is proved', async t => {
  let number = 0
  let name = ''
  const called = await atEachCall(t, {
    async before() {
      name = `n${++number}.example`
      await addDomain('alice', name)
      await addBox('alice', `info@${name}`)
    },
    async act() {
      await seen(name)
      t.ok(await until(isApplied, 30_000), name)
    },
    async expect() {
      t.equal((await receive(`info@${name}`, 'First')).code, 250)
      const isThere = async () => (await readInbox(`info@${name}`, password)).messages.length === 1
      t.ok(await until(isThere, 10_000), name)
    },
  })
  t.ok(called.length > 3, called.join(' '))
  t.equal(await events('mail.domain_created'), number + 1)
  await noBounce(t)
})

t.test('suspending and terminating an account', async t => {
  let number = 0
  let username = ''
  const mine = () => `info@${username}.example`
  const create = async () => {
    username = `user${++number}`
    const body = { ...alice, username, domain: `${username}.example` }
    await panel.call('POST', '/api/v1/accounts', { body })
    await addDomain(username, `${username}.example`)
    await addBox(username, mine())
    await seen(`${username}.example`)
    t.ok(await until(() => isTaken(mine()), 20_000))
  }
  await atEachCall(t, {
    before: create,
    act: () => panel.call('POST', `/api/v1/accounts/${username}/suspend`, { body: {} }),
    async expect() {
      t.not((await readInbox(mine(), password)).error, undefined, 'no login')
      t.equal(await answerTo(mine()), '250', 'its mail is kept')
      await panel.call('DELETE', `/api/v1/accounts/${username}`)
    },
  })
  await atEachCall(t, {
    before: create,
    act: () => panel.call('DELETE', `/api/v1/accounts/${username}`),
    async expect() {
      t.match(await answerTo(mine()), /^55[04]$/)
      for (const map of ['domains', 'mailboxes', 'senders', 'rates', 'from-domains']) {
        t.notMatch(readFileSync(`/etc/panel-mail/${map}`, 'utf8'), `${username}.`, map)
      }
      t.notOk(existsSync(`/etc/panel-mail/passwd/${username}.example`))
    },
  })
  t.equal(await answerTo(kept), '250')
  await noBounce(t)
})
