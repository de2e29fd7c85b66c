import * as fs from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { systemdServices } from '../../../src/host/services/systemd.ts'
import { openMachine } from '../../../src/host/machine.ts'
import { maxBytes } from '../../../src/host/php/log.ts'
import { isFull } from '../../support/full.ts'
import { alice } from '../../support/panel.ts'
import { until } from '../../support/until.ts'
import { asUser, openLinuxPanel, putFile, run, sftp, expectPage, visit } from '../machine.ts'

// Accounts without visitors cost little and lose nothing: PHP ends and comes back, with its
// messages and the journal's lines.

const panel = await openLinuxPanel(t)
// The shortest that can be set.
await panel.startMachineWorker({ PANEL_PHP_IDLE: '10s' })
await panel.call('PUT', '/api/v1/packages/starter', {
  body: { memory_mb: 512, cpu_percent: 200 },
})

/** An account with a few scripts. */
async function make(username: string) {
  const domain = `${username}.example`
  const created = await panel.call('POST', '/api/v1/accounts', {
    body: { ...alice, username, domain },
  })
  t.equal(created.status, 201, created.text)
  const where = ['select uid from panel.accounts where username = $1', [username]] as const
  const { uid } = (await panel.pool.query(...(where as unknown as [string]))).rows[0]
  for (const [name, script] of Object.entries(scripts)) {
    await putFile({ uid }, `/home/${username}/sites/${domain}/public/${name}.php`, script)
  }
  await expectPage(domain, '/id.php', new RegExp(`^200 ${uid}$`))
  const unit = `panel-php@${uid}.service`
  return {
    ...{ username, domain, uid: Number(uid), unit },
    ask: (path: string) => visit(domain, path),
    show: async (property: string) =>
      (await run('systemctl', ['show', '--value', '-p', property, unit])).stdout.trim(),
    log: `/home/${username}/logs/php.log`,
    path: `/api/v1/accounts/${username}`,
  }
}

const scripts = {
  id: '<?php echo posix_geteuid();',
  long: '<?php sleep(60); echo "at last";',
  say: `<?php error_log('by error_log'); trigger_error('an error');
    file_put_contents('php://stderr', "by stderr\\n");
    openlog('me', 0, LOG_USER); echo syslog(LOG_ERR, 'by syslog') ? 'logged' : 'not logged';`,
  flood: '<?php for ($i = 0; $i < 4000; $i++) error_log(str_repeat("x", 1000)); echo "done";',
}

const isSleeping = async (one: Awaited<ReturnType<typeof make>>) =>
  (await one.show('ActiveState')) === 'inactive'

const act = ({ path }: { path: string }, verb: string) =>
  panel.call('POST', `${path}/${verb}`, { body: {} })

/** The users with a journal of their own. */
const journals = () => fs.globSync('/var/log/journal/*/user-*')

t.test('PHP’s messages are in the log of its account, and nowhere else', async t => {
  const one = await make('says')
  t.strictSame(fs.readFileSync(one.log, 'utf8'), '')
  t.match(await one.ask('/say.php'), { status: 200 })
  await until(() => fs.readFileSync(one.log, 'utf8').includes('by stderr'))
  const output = fs.readFileSync(one.log, 'utf8')
  for (const words of ['by error_log', 'an error', 'by stderr']) t.match(output, words)
  t.match(fs.statSync(one.log), { uid: one.uid, gid: one.uid })
  t.notMatch(fs.readFileSync('/var/log/nginx/error.log', 'utf8'), /an error|by error_log/)
  const journal = (await run('journalctl', ['--no-pager', '-o', 'cat'])).stdout
  t.notMatch(journal, /by syslog|by stderr|by error_log|fpm is running/)
})

t.test('PHP, sessions and jobs of an account write no journal of its own', async t => {
  const one = await make('talks')
  t.match(await one.ask('/say.php'), { status: 200 })
  t.equal((await sftp(one.username, alice.password, 'pwd\n')).code, 0)
  t.equal((await asUser(one.uid, ['logger', 'by logger'])).code, 0)
  await run('journalctl', ['--sync'])
  t.match((await run('journalctl', ['--no-pager', '-o', 'cat'])).stdout, 'by logger')
  t.strictSame(journals(), [])
})

t.test('the log can be read and emptied by its account, but not replaced', async t => {
  const one = await make('plants')
  const { log, uid } = one
  for (const command of [
    ['rm', '-f', log],
    ['ln', '-sf', '/etc/passwd', log],
    ['mv', log, `/home/plants/files/log`],
    ['mkdir', `${log}.1`],
    ['mv', '/home/plants/logs', '/home/plants/files/logs'],
  ]) {
    t.not((await asUser(uid, command)).code, 0, command.join(' '))
  }
  t.equal((await asUser(uid, ['tee', log])).code, 0)
  // An administrator makes the mistake that root's folders are there against.
  await run('chown', ['-R', `${uid}:${uid}`, '/home/plants'])
  await asUser(uid, ['mkdir', '-p', `${log}.new/x`, `${log}.1/x`])
  await asUser(uid, ['rm', log])
  await asUser(uid, ['mkdir', '-p', `${log}/x`])
  t.match(await act(one, 'suspend'), { status: 200 })
  t.match(await act(one, 'unsuspend'), { status: 200 })
  t.match(fs.lstatSync(log), { uid, size: 0 })
  await run('chown', ['-R', `${uid}:${uid}`, '/home/plants'])
  await asUser(uid, ['rm', '-rf', '/home/plants/logs'])
  await asUser(uid, ['ln', '-s', '/etc', '/home/plants/logs'])
  await sleep(6_000)
  t.notOk(fs.existsSync('/etc/php.log'), 'the worker follows no link')
  t.match(await act(one, 'suspend'), { status: 200 })
  t.match(await act(one, 'unsuspend'), { status: 200 })
  t.notOk(fs.existsSync('/etc/php.log'))
  t.match(fs.lstatSync(log), { uid })
  await expectPage(one.domain, '/id.php', new RegExp(`^200 ${uid}$`))
})

t.test('a log that its account has closed keeps nothing from being done for it', async t => {
  const one = await make('closes')
  const { log, uid } = one
  t.equal((await asUser(uid, ['chmod', '000', log])).code, 0)
  t.match(await act(one, 'suspend'), { status: 200 })
  t.match(await act(one, 'unsuspend'), { status: 200 })
  await expectPage(one.domain, '/id.php', new RegExp(`^200 ${uid}$`))
  const closing = asUser(uid, ['perl', '-e', 'chmod 0, $ARGV[0] while 1', log])
  for (const memory_mb of [192, 256, 320]) {
    const name = `of${memory_mb}`
    await panel.call('PUT', `/api/v1/packages/${name}`, { body: { memory_mb } })
    const changed = await panel.call('PUT', `${one.path}/package`, { body: { package: name } })
    t.equal(changed.status, 200, changed.text)
  }
  await run('pkill', ['-KILL', '-U', String(uid), 'perl'])
  await closing
})

t.test('a flood is cut, PHP goes on in a new log, and a log that was removed is made', async t => {
  const one = await make('floods')
  t.match(await one.ask('/flood.php'), { text: 'done' })
  t.ok(await until(() => fs.existsSync(`${one.log}.1`) && fs.statSync(one.log).size === 0))
  t.equal(fs.statSync(`${one.log}.1`).size, maxBytes)
  await until(async () => {
    await one.ask('/say.php')
    return fs.readFileSync(one.log, 'utf8').includes('by stderr')
  })
  // Some lines may have come before it opened the new one.
  t.ok(fs.statSync(`${one.log}.1`).size < maxBytes + 10_000)
  t.match(fs.statSync(`${one.log}.1`), { uid: one.uid })
  fs.rmSync(one.log)
  t.ok(await until(() => fs.existsSync(one.log)))
})

t.test('PHP without requests ends, and the next visitor starts it', async t => {
  const [quiet, busy] = [await make('quiet'), await make('busy')]
  const held = busy.ask('/long.php')
  t.match(await quiet.ask('/id.php'), { status: 200, text: String(quiet.uid) })
  t.notOk(await isSleeping(quiet))
  // A child outlives its request by half a minute.
  t.ok(await until(() => isSleeping(quiet), 60_000))
  t.equal(await quiet.show('Result'), 'success')
  t.equal(await busy.show('ActiveState'), 'active', 'a request that goes on keeps it')
  const begunAt = performance.now()
  t.match(await quiet.ask('/id.php'), { status: 200, text: String(quiet.uid) })
  t.comment(`figure: the first visit took ${Math.round(performance.now() - begunAt)} ms`)
  t.match(await held, { text: 'at last' })
})

t.test('no request is lost in the moment that PHP is ended', async t => {
  const one = await make('lossless')
  const services = systemdServices(openMachine({ kind: 'linux', root: '/' }))
  const [stops, atOnce] = [isFull ? 200 : 20, 50]
  const answers: string[] = []
  for (let stop = 0; stop < stops; stop++) {
    const ended = sleep(Math.random() * 60).then(() => services.signalPhp([one.uid], 'SIGQUIT'))
    const asked = Array.from({ length: atOnce }, async () => {
      await sleep(Math.random() * 120)
      const { status, text } = await one.ask('/id.php')
      answers.push(`${status} ${text}`)
    })
    await Promise.all([ended, ...asked])
  }
  const lost = answers.filter(answer => answer !== `200 ${one.uid}`)
  t.strictSame(lost, [])
  t.comment(`figure: ${answers.length} requests at ${stops} stops, ${lost.length} lost`)
})

t.test('however often PHP is started or ended, its socket stays', async t => {
  const one = await make('often')
  for (let time = 0; time < 25; time++) {
    t.match(await one.ask('/id.php'), { status: 200 })
    await run('systemctl', ['stop', one.unit])
  }
  for (let time = 0; time < 7; time++) {
    for (const verb of ['suspend', 'unsuspend']) t.match(await act(one, verb), { status: 200 })
  }
  await expectPage(one.domain, '/id.php', new RegExp(`^200 ${one.uid}$`))
})

t.test('PHP that cannot start is tried again and again, and slowly', async t => {
  const one = await make('broken')
  const conf = `/etc/panel/php/${one.uid}.conf`
  const text = fs.readFileSync(conf, 'utf8')
  fs.writeFileSync(conf, 'nonsense')
  await run('systemctl', ['stop', one.unit])
  const asked = one.ask('/id.php')
  await sleep(7_000)
  const failures = Number(await one.show('NRestarts'))
  t.ok(failures >= 1 && failures <= 4, `${failures} restarts in 7 s`)
  fs.writeFileSync(conf, text)
  t.match(await asked, { status: 200, text: String(one.uid) }, 'the request has waited')
})

t.test('terminate removes the journals that older versions have left', async t => {
  const one = await make('leaves')
  const [folder = ''] = fs.globSync('/var/log/journal/*')
  const theirs = ['', '@0005f-1', '@0005f-2'].map(
    part => `${folder}/user-${one.uid}${part}.journal`,
  )
  theirs.push(`${folder}/user-${one.uid}@0005f-3.journal~`)
  const foreign = `${folder}/user-1${one.uid}.journal`
  for (const path of [...theirs, foreign]) fs.writeFileSync(path, '')
  t.match(await one.ask('/id.php'), { status: 200 })
  t.equal((await panel.call('DELETE', one.path)).status, 200)
  t.strictSame(journals(), [foreign])
  fs.rmSync(foreign)
})
