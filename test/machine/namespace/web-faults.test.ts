import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { alice } from '../../support/panel.ts'
import { until } from '../../support/until.ts'
import { openLinuxPanel, putFile, run, startServices, stopNginx, visit } from '../machine.ts'
import { ask, speak, statusOf } from '../raw.ts'
import { openVisitor, type Truth } from '../visitor.ts'
import { fillNewSites, truthsOf } from '../visits.ts'

// nginx stopped, restarted, hung and broken by hand while accounts change: the operation ends with
// the truth, and every answer is right.

startServices('nginx')
const panel = await openLinuxPanel(t)
await panel.startMachineWorker()
await fillNewSites()
await panel.call('PUT', '/api/v1/packages/starter', { body: { memory_mb: 64 } })
const visitor = openVisitor(t, { afterMs: 300 })

const names = '/var/lib/panel/web/names'
const stopped = 'nginx is not running: websites are not served'
const post = (path: string, body: object) => panel.call('POST', `/api/v1/accounts${path}`, { body })
const create = (username: string) => post('', { ...alice, username, domain: `${username}.example` })
const act = async (verb: 'suspend' | 'unsuspend') => {
  const { status, text } = await post(`/alice/${verb}`, {})
  if (status !== 200) throw new Error(text)
}
const site = '/home/alice/sites/alice.example/public'
const userOf = async (username: string): Promise<{ uid: number }> => {
  const { rows } = await panel.pool.query(`select uid from panel.accounts where username = $1`, [
    username,
  ])
  return rows[0]
}
const status = async (username: string, path = '/probe.php') =>
  (await visit(`${username}.example`, path)).status

const shown = truthsOf('alice.example')
const truths: Record<string, Truth[]> = {
  suspend: shown.map(one => ({ ...one, before: one.after, after: /^503 / })),
  unsuspend: shown.map(one => ({ ...one, before: /^503 / })),
}
const verbs = ['suspend', 'unsuspend'] as const

t.test('stopped nginx is reported, and serves the current state later', async t => {
  await stopNginx()
  const created = await create('alice')
  t.match(created, { status: 201 }, created.text)
  t.ok(created.body.warnings.includes(stopped), created.text)
  startServices('nginx')
  t.equal(await status('alice'), 200)
  await stopNginx()
  await act('suspend')
  startServices('nginx')
  t.equal(await status('alice'), 503)
  await stopNginx()
  t.match((await post('/alice/unsuspend', {})).body.warnings.join(), stopped)
  t.equal((await create('bob')).status, 201)
  t.equal((await panel.call('DELETE', '/api/v1/accounts/bob')).status, 200)
  startServices('nginx')
  t.equal(await status('alice'), 200)
  t.equal(await status('bob'), 421)
})

t.test('nginx that is restarted meanwhile answers right or not at all', async t => {
  for (let turn = 0; turn < 6; turn++) {
    const verb = verbs[turn % 2]!
    const each = truths[verb]!.map(one => ({ ...one, mayFail: true }))
    const { wrong, asked } = await visitor.during(each, async () => {
      const restart = sleep(turn * 25)
        .then(stopNginx)
        .then(() => startServices('nginx'))
      await Promise.all([act(verb), restart])
    })
    t.strictSame(wrong.slice(0, 5), [], `${wrong.length} of ${asked}`)
  }
})

t.test('nginx that reloads meanwhile misses no request', async t => {
  for (let turn = 0; turn < 4; turn++) {
    const verb = verbs[turn % 2]!
    const { wrong, asked } = await visitor.during(truths[verb]!, async () => {
      let isOver = false
      const reloads = (async () => {
        while (!isOver) await run('nginx', ['-s', 'reload'])
      })()
      await act(verb)
      isOver = true
      await reloads
    })
    t.strictSame(wrong.slice(0, 5), [], `${wrong.length} of ${asked}`)
  }
})

t.test('nginx that hangs holds nothing up, and then knows what holds', async t => {
  // Workers of the reloads before may be ending, and then are none to signal.
  const signal = (name: 'STOP' | 'CONT') => run('pkill', [`-${name}`, '-x', 'nginx'])
  for (const verb of verbs) {
    await signal('STOP')
    await act(verb)
    await signal('CONT')
    t.equal(await status('alice'), verb === 'suspend' ? 503 : 200)
  }
})

t.test('an nginx.conf that was broken by hand fails no create, and is served on', async t => {
  const file = '/etc/nginx/nginx.conf'
  const was = readFileSync(file, 'utf8')
  writeFileSync(file, `nonsense;\n${was}`)
  const { answer, wrong } = await visitor.during(truthsOf('carol.example'), () => create('carol'))
  t.match(answer, { status: 201 }, answer.text)
  t.strictSame(wrong.slice(0, 5), [])
  for (const verb of verbs) {
    t.strictSame((await visitor.during(truths[verb]!, () => act(verb))).wrong.slice(0, 5), [])
  }
  t.equal((await panel.call('DELETE', '/api/v1/accounts/carol')).status, 200)
  writeFileSync(file, was)
})

t.test('a file in the place of a name gives way', async t => {
  writeFileSync(`${names}/dave.example`, 'a file')
  symlinkSync('../sites/0000000001', `${names}/www.dave.example`)
  t.equal((await create('dave')).status, 201)
  t.equal(await status('dave'), 200)
  t.equal((await visit('www.dave.example', '/probe.php')).status, 200)
  mkdirSync(`${names}/www.erin.example`)
  writeFileSync(`${names}/www.erin.example/kept`, 'a file')
  t.equal((await create('erin')).status, 201)
  t.equal(await status('erin'), 200)
  t.equal((await visit('www.erin.example', '/probe.php')).status, 200)
  const [aside = ''] = readdirSync(names).filter(name => name.includes('moved'))
  t.match(readFileSync(`${names}/${aside}/kept`, 'utf8'), 'a file', 'a folder is put aside')
  rmSync(`${names}/${aside}`, { recursive: true })
})

t.test('running PHP requests end with the website when it is stopped', async t => {
  await putFile(await userOf('alice'), `${site}/slow.php`, '<?php sleep(60);')
  for (const [verb, expected] of [
    ['suspend', 503],
    ['', 421],
  ] as const) {
    const slow = visit('alice.example', '/slow.php')
    const uid = `${(await userOf('alice')).uid}`
    await until(async () => (await run('pgrep', ['-U', uid, '-f', 'pool'])).code === 0)
    if (verb === 'suspend') await act(verb)
    else await panel.call('DELETE', '/api/v1/accounts/alice')
    t.equal((await slow).status, expected)
    if (verb === 'suspend') await act('unsuspend')
  }
})

t.test('without the page of suspended websites they are suspended all the same', async t => {
  await post('/dave/suspend', {})
  rmSync('/var/lib/panel/web/pages/503.html')
  t.equal(await status('dave', '/'), 503)
  t.equal(await status('dave', '/missing'), 503)
  t.equal((await post('/dave/unsuspend', {})).status, 200)
  t.equal(await status('dave'), 200)
})

t.test('a suspended website is that by every method, and where its own page is', async t => {
  await putFile(
    await userOf('dave'),
    '/home/dave/sites/dave.example/public/404.html',
    'my own page',
  )
  const lines = 'Host: dave.example\r\nContent-Length: 3\r\nConnection: close\r\n\r\nx=1'
  const paths = ['/', '/probe.php', '/404.html', '/missing', '/.env', '//404', '/x/../404']
  const answers = async () => {
    const asked = paths.flatMap(path =>
      ['GET', 'POST', 'PUT', 'DELETE'].map(one => `${one} ${path}`),
    )
    const outputs = await Promise.all(asked.map(one => speak(`${one} HTTP/1.1\r\n${lines}`)))
    return new Set(outputs.map(statusOf))
  }
  t.match(await ask('dave.example', '/404.html'), /^HTTP\/1.1 200 .*my own page$/s)
  t.match(await ask('dave.example', '//404'), /^HTTP\/1.1 404 .*my own page$/s)
  await post('/dave/suspend', {})
  t.strictSame(await answers(), new Set([503]))
  await post('/dave/unsuspend', {})
  t.notOk((await answers()).has(503))
})
