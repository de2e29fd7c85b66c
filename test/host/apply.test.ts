import {
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import t from 'tap'
import { apply, erase, stepsOf } from '../../src/host/apply.ts'
import { PanelError } from '../../src/errors.ts'
import { alice, bob, sandbox, startPhp, straight, tree } from '../support/host/sandbox.ts'
import { phpLimits } from '../support/host/php-limits.ts'

const suspended = { ...alice, desired: 'suspended' as const }
const terminated = { ...alice, desired: 'terminated' as const }

t.test('an active account has a user, a home, limits, PHP and a website', async t => {
  const { root, machine } = await sandbox(t)
  const before = tree(root)
  t.strictSame(await apply(machine, alice, straight), [])
  const after = tree(root)
  t.strictSame(
    Object.keys(after).filter(path => !(path in before)),
    [
      'etc/panel/mail/accounts/20001',
      'etc/panel/php/20001.conf',
      'etc/systemd/system/sockets.target.wants/panel-php@20001.socket',
      'etc/systemd/system/user-20001.slice.d',
      'etc/systemd/system/user-20001.slice.d/50-panel.conf',
      'home/alice',
      'home/alice/files',
      'home/alice/logs',
      'home/alice/logs/php.log',
      'home/alice/sites',
      'home/alice/sites/alice.example',
      'home/alice/sites/alice.example/public',
      'home/alice/sites/alice.example/public/index.html',
      'home/alice/tmp',
      'var/lib/panel/quota/20001',
      'var/lib/panel/web/live/0000000007',
      'var/lib/panel/web/live/0000000007/http',
      'var/lib/panel/web/live/0000000007/https',
      'var/lib/panel/web/live/0000000007/php.sock',
      'var/lib/panel/web/names/alice.example',
      'var/lib/panel/web/names/www.alice.example',
      'var/lib/panel/web/sites/0000000007',
      'var/lib/panel/web/suspended/0000000007',
      'var/lib/panel/web/suspended/0000000007/suspended',
    ],
  )
  t.equal(after['home/alice'], '40751')
  t.equal(after['home/alice/tmp'], '40700')
  t.match(after['etc/passwd'], 'alice:x:20001:20001::/home/alice:/usr/sbin/nologin\n')
  t.match(after['etc/shadow'], 'alice:$6$salt$hash::0:99999:7:::\n')
  t.match(after['etc/group'], 'panel-sftp:x:990:alice\n')
  t.match(after['var/lib/panel/quota/20001'], '102400 102400 20000 20000\n')
})

t.test('suspending locks the user and says so to visitors; unsuspending undoes it', async t => {
  const { root, machine } = await sandbox(t)
  await apply(machine, alice, straight)
  const before = tree(root)
  await apply(machine, suspended, straight)
  t.match(tree(root)['etc/shadow'], 'alice:!$6$salt$hash::0:99999:7::1:\n')
  t.match(tree(root)['var/lib/panel/web/sites/0000000007'], '-> ../suspended/0000000007')
  await apply(machine, alice, straight)
  t.strictSame(tree(root), before)
})

t.test('a password set while suspended stays locked, and works afterwards', async t => {
  const { root, machine } = await sandbox(t)
  await apply(machine, alice, straight)
  await apply(machine, suspended, straight)
  await apply(machine, { ...suspended, passwordHash: '$6$new$hash' }, straight)
  t.match(tree(root)['etc/shadow'], 'alice:!$6$new$hash::0:99999:7::1:\n')
  await apply(machine, { ...alice, passwordHash: '$6$new$hash' }, straight)
  t.match(tree(root)['etc/shadow'], 'alice:$6$new$hash::0:99999:7:::\n')
})

t.test('changed limits arrive, in a suspended account too', async t => {
  const { root, machine } = await sandbox(t)
  await apply(machine, alice, straight)
  const limits = {
    diskMb: 1,
    memoryMb: 1000,
    cpuPercent: 200,
    sftp: false,
    databaseConnections: 20,
    ...phpLimits,
    cronIntervalMinutes: 1,
    cronRunMinutes: 720,
    mailsPerHour: 100,
    mailCatchAll: false,
    ...{ backups: 'daily', keepDaily: 7, keepWeekly: 4, keepMonthly: 0 },
  }
  await apply(machine, { ...suspended, limits }, straight)
  const after = tree(root)
  t.match(after['var/lib/panel/quota/20001'], '1024 1024 10100 10100\n')
  t.match(after['etc/systemd/system/user-20001.slice.d/50-panel.conf'], 'MemoryMax=1000M\n')
  t.match(after['etc/group'], 'panel-sftp:x:990:\n')
})

t.test('terminating leaves the home in the trash and nothing else', async t => {
  const { root, machine } = await sandbox(t)
  const before = tree(root)
  await apply(machine, alice, straight)
  writeFileSync(machine.path('/home/alice/files/letter'), 'dear')
  await apply(machine, terminated, straight)
  const after = tree(root)
  t.equal(readFileSync(machine.path('/home/.trash/20001/files/letter'), 'utf8'), 'dear')
  const rest = Object.entries(after).filter(([path]) => !path.startsWith('home/.trash/'))
  t.strictSame(Object.fromEntries(rest), before)
})

t.test('a late repeat leaves the next owner of the name alone', async t => {
  const { root, machine } = await sandbox(t)
  await apply(machine, alice, straight)
  await apply(machine, terminated, straight)
  await apply(machine, { ...alice, uid: 20_009, sites: [] }, straight)
  const before = tree(root)
  await apply(machine, terminated, straight)
  await erase(machine, { ...alice, sites: [] }, straight)
  const after = tree(root)
  t.equal(after['etc/passwd'], before['etc/passwd'])
  t.equal(after['etc/shadow'], before['etc/shadow'])
  t.ok(existsSync(machine.path('/home/alice/files')))
  t.rejects(apply(machine, suspended, straight), PanelError)
})

t.test('a name of the machine itself is refused, and the undo leaves it alone', async t => {
  const { root, machine } = await sandbox(t)
  writeFileSync(machine.path('/etc/passwd'), 'alice:x:1000:1000::/home/alice:/bin/bash\n')
  mkdirSync(machine.path('/home/alice'))
  const before = tree(root)
  await t.rejects(apply(machine, alice, straight), {
    code: 'username_taken',
    message: 'username alice is taken on this server',
  })
  await erase(machine, alice, straight)
  t.strictSame(tree(root), before)
})

t.test('a home that was there before is refused, and the undo leaves it alone', async t => {
  const { root, machine } = await sandbox(t)
  mkdirSync(machine.path('/home/alice'), { recursive: true })
  writeFileSync(machine.path('/home/alice/precious'), 'dear')
  const before = tree(root)
  await t.rejects(apply(machine, alice, straight), { code: 'username_taken' })
  await erase(machine, alice, straight)
  t.strictSame(tree(root), before)
})

t.test('the machine is asked with arguments and in the right order', async t => {
  const { machine, standIn, calls } = await sandbox(t)
  for (const command of ['nginx', 'systemctl', 'php-fpm', 'useradd', 'setquota']) standIn(command)
  await apply(machine, alice, straight)
  t.strictSame(calls(), [
    // Nothing runs in its slice yet, and its PHP has not read anything.
    'php-fpm -t -y /run/panel/php/20001.test',
    'systemctl start -- panel-php@20001.socket',
  ])
  startPhp(machine, alice)
  await apply(machine, { ...alice, limits: { ...alice.limits, memoryMb: 512 } }, straight)
  t.strictSame(calls(), [
    'systemctl set-property --runtime -- user-20001.slice MemoryMax=512M ' +
      'MemorySwapMax=0 CPUQuota=50% TasksMax=200',
    'php-fpm -t -y /run/panel/php/20001.test',
    'systemctl start -- panel-php@20001.socket',
    'systemctl start -- panel-php@20001.service',
    'systemctl kill --kill-whom=main --signal=SIGQUIT -- panel-php@20001.service',
  ])
  await apply(machine, suspended, straight)
  t.strictSame(calls().slice(0, 1), [
    'systemctl stop -- panel-php@20001.socket panel-php@20001.service',
  ])
})

t.test(
  'PHP of many at once is started together, and one that does not start fails alone',
  async t => {
    const { machine, standIn, calls } = await sandbox(t)
    standIn('systemctl', 'sleep 0.1; case "$*" in *20103*) exit 1;; esac')
    const many = Array.from({ length: 8 }, (_, index) => ({
      ...alice,
      uid: 20_100 + index,
      username: `user${index}`,
      sites: [],
    }))
    const ended = await Promise.allSettled(many.map(one => apply(machine, one, straight)))
    t.strictSame(
      ended.map(({ status }) => status),
      many.map(({ uid }) => (uid === 20_103 ? 'rejected' : 'fulfilled')),
    )
    const starts = calls().map(call => call.split(' -- ')[1]?.split(' ').length ?? 0)
    t.ok(Math.max(...starts) > 1, starts.join(' '))
  },
)

t.test('a command that fails makes its step fail and nothing more', async t => {
  const { root, machine, standIn } = await sandbox(t)
  await apply(machine, bob, straight)
  standIn('php-fpm', 'echo no such pool >&2; exit 78')
  const seen: string[] = []
  const observe = (step: string, run: () => Promise<void>) => {
    seen.push(step)
    return run()
  }
  await t.rejects(apply(machine, alice, observe), {
    message: 'php-fpm ended with 78: no such pool',
  })
  t.equal(seen.at(-1), 'php')
  await erase(machine, alice, straight)
  standIn('php-fpm')
  await apply(machine, alice, straight)
  t.ok(tree(root)['var/lib/panel/web/names/bob.example'])
})

t.test('a link in the place of a file or folder is never followed', async t => {
  const { root, machine } = await sandbox(t)
  const outside = t.testdir({ kept: 'as it was' })
  const target = `${outside}/kept`
  symlinkSync(target, machine.path('/etc/panel/php/.20001.conf.new'))
  symlinkSync(target, machine.path('/var/lib/panel/quota/20001'))
  await apply(machine, alice, straight)
  t.equal(readFileSync(target, 'utf8'), 'as it was')
  t.match(tree(root)['etc/panel/php/20001.conf'], /^100644 .*20001/s)

  symlinkSync(outside, machine.path('/home/bob'))
  await t.rejects(apply(machine, bob, straight), /bob is taken on this server/)
  t.equal(readlinkSync(machine.path('/home/bob')), outside)
})

t.test('a file in place of a folder of the home is put aside, and never followed', async t => {
  const { machine } = await sandbox(t)
  await apply(machine, alice, straight)
  const outside = t.testdir({ kept: 'as it was' })
  const home = machine.path('/home/alice')
  for (const name of ['sites', 'files']) {
    renameSync(`${home}/${name}`, `${home}/my-${name}`)
    symlinkSync(outside, `${home}/${name}`)
  }
  rmdirSync(`${home}/tmp`)
  writeFileSync(`${home}/tmp`, 'mine')
  writeFileSync(`${home}/.moved-1-tmp`, 'mine too')
  await apply(machine, suspended, straight)
  await apply(machine, alice, straight)
  t.strictSame(tree(outside), { kept: '100644 as it was' })
  t.equal(readlinkSync(`${home}/.moved-1-sites`), outside)
  t.equal(readlinkSync(`${home}/.moved-1-files`), outside)
  t.equal(readFileSync(`${home}/.moved-1-tmp`, 'utf8'), 'mine too')
  t.equal(readFileSync(`${home}/.moved-2-tmp`, 'utf8'), 'mine')
  t.ok(existsSync(`${home}/sites/alice.example/public/index.html`))
  t.ok(existsSync(`${home}/my-sites/alice.example/public/index.html`))
})

t.test('the names of the steps are known beforehand', async t => {
  const { machine } = await sandbox(t)
  for (const desired of ['active', 'suspended', 'terminated'] as const) {
    const seen: string[] = []
    await apply(machine, { ...alice, desired }, async step => void seen.push(step))
    t.strictSame(seen, stepsOf(desired))
  }
  const seen: string[] = []
  await erase(machine, alice, async step => void seen.push(step))
  t.strictSame(seen, stepsOf('erased'))
})
