import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { alice } from '../support/panel.ts'
import { until } from '../support/until.ts'
import type { DebianMachine } from './debian-machine.ts'
import { must } from './debian-root.ts'
import { type Client, curl, visit } from './installed.ts'

// Two versions of PHP as packages on an installed panel. Debian has one, which is repacked as
// another, so that apt installs and removes it as it does with every version.

const repack = join(import.meta.dirname, 'repack-php.sh')
const second = 'second-petra.example'
const script = `<?php usleep(random_int(0, 20000));
  echo preg_replace("/[.][0-9]+$/", "", PHP_VERSION), " ", get_current_user(), " ",
    extension_loaded("gd") ? "gd" : "none";`

/** Two websites of an account run two versions that were installed by `panel php install`. */
export async function showTwoVersions(
  t: Test,
  machine: DebianMachine,
  client: Client,
): Promise<void> {
  const panel = (...words: string[]) => machine.must('panel', ...words)
  type Shown = { versions: { version: string; is_installed: boolean; is_default: boolean }[] }
  const list = async () => (JSON.parse(await panel('php', 'ls', '--json')) as Shown).versions
  const own = (await list())[0]!.version
  const other = own.replace(/[0-9]+$/, '9')
  await addSource(machine, own, other)

  await t.test('a version is installed by apt, without its service and as no default', async t => {
    const dry = await panel('php', 'install', other, '--dry-run')
    t.match(dry, `php${other}-fpm\n`)
    t.match(dry, `php${other}-gd\n`)
    const installed = await machine.run(['panel', 'php', 'install', other])
    t.equal(installed.code, 0, installed.stderr)
    t.match(await list(), [
      { version: other, is_installed: true, is_default: false },
      { version: own, is_installed: true, is_default: true },
    ])
    for (const version of [own, other]) {
      const unit = `php${version}-fpm.service`
      t.match(await machine.run(['systemctl', 'is-enabled', unit]), { stdout: 'disabled\n' })
      t.match(await machine.run(['systemctl', 'is-active', unit]), { stdout: 'inactive\n' })
    }
  })

  await t.test('an install that is killed inside dpkg is completed by a repeat', async t => {
    await machine.must('apt-get', 'purge', '-qq', '-y', `php${other}-*`)
    const program = `php${other}-fpm`
    const command = ['systemd-run', '--quiet', '--unit=interrupted', '--collect']
    await machine.must(...command, 'panel', 'php', 'install', other)
    const status = async () =>
      (await machine.run(['dpkg-query', '-W', '-f', '${db:Status-Abbrev}', program])).stdout
    t.ok(await until(async () => /^i[UFHW]/.test(await status()), 120_000))
    await machine.must('systemctl', 'kill', '--signal=KILL', '--kill-whom=all', 'interrupted')
    t.ok(
      await until(
        async () => (await machine.run(['systemctl', 'is-active', '-q', 'interrupted'])).code !== 0,
      ),
    )
    t.match(await status(), /^i[UFHW]/, 'it is unpacked and not configured')
    const again = await machine.run(['panel', 'php', 'install', other])
    t.equal(again.code, 0, again.stderr)
    t.notMatch(again.stdout, 'installed already')
    t.match(again.stdout, `${program}\n`)
    t.match(await status(), /^ii/)
    const unit = `${program}.service`
    t.match(await machine.run(['systemctl', 'is-enabled', unit]), { stdout: 'disabled\n' })
    t.match(await machine.run(['systemctl', 'is-active', unit]), { stdout: 'inactive\n' })
    t.match(await panel('php', 'install', other), `PHP ${other} is installed already`)
  })

  t.match(await client('PUT', '/packages/pair', { max_sites: 2 }), { status: 201 })
  const body = { ...alice, username: 'petra', domain: 'petra.example', package: 'pair' }
  t.match(await client('POST', '/accounts', body), { status: 201 })
  await panel('site', 'add', 'petra', second)
  for (const domain of [body.domain, second]) {
    const put = ['runuser', '-u', 'petra', '--', 'tee', `/home/petra/sites/${domain}/public/v.php`]
    t.match(await machine.run(put, script), { code: 0 })
  }
  const set = (version: string) => panel('site', 'set', 'petra', second, '--php-version', version)
  const runs = (domain: string) => visit(machine, domain, '/v.php')

  await t.test('two websites of an account run two versions in its slice', async t => {
    await set(other)
    t.equal(await runs(body.domain), `200 ${own} petra gd`)
    t.equal(await runs(second), `200 ${other} petra gd`)
    const uid = (await machine.must('id', '-u', 'petra')).trim()
    const masters = await machine.must('pgrep', '-f', `php-fpm: master process .*/php/${uid}[./]`)
    const pids = masters.trim().split('\n')
    t.equal(pids.length, 2)
    for (const pid of pids) {
      const group = await machine.must('cat', `/proc/${pid}/cgroup`)
      t.match(group, `/user-${uid}.slice/panel-php@${uid}`)
    }
    await panel('site', 'set', 'petra', second, '--php-extension', 'gd=off')
    t.ok(await until(async () => (await runs(second)) === `200 ${other} petra none`))
    await panel('site', 'set', 'petra', second, '--php-extension', 'gd=default')
  })

  await t.test('no request fails while a website changes its version', async t => {
    const seen = await whileVisited(machine, async () => {
      for (const version of [own, other, own, 'default', other]) await set(version)
    })
    t.strictSame([...new Set(seen)], ['200'], `${seen.length} requests`)
    t.ok(seen.length > 10)
  })

  await t.test('a version that is removed is 503 with words for its website alone', async t => {
    await machine.must('apt-get', 'remove', '-qq', '-y', `php${other}-fpm`)
    t.ok(await until(async () => (await runs(second)).startsWith('503 '), 30_000))
    t.match(await runs(second), /not available/)
    t.equal(await runs(body.domain), `200 ${own} petra gd`)
    const { stdout } = await machine.run(['panel', 'ctl', 'doctor', '--problems'])
    t.match(stdout, new RegExp(`php-versions: .*503.*${second} \\(PHP ${other}\\)`))
    const again = await machine.run(['panel', 'php', 'install', other])
    t.equal(again.code, 0, again.stderr)
    t.equal(await runs(second), `200 ${other} petra gd`)
  })

  await t.test('a package chooses the version of websites that have not', async t => {
    await panel('package', 'set', 'pair', '--php-allowed', `${other},${own}`)
    t.ok(await until(async () => (await runs(body.domain)) === `200 ${other} petra gd`, 30_000))
    await panel('package', 'set', 'pair', '--php-allowed', own)
    t.ok(await until(async () => (await runs(body.domain)) === `200 ${own} petra gd`, 30_000))
    t.equal(await runs(second), `200 ${other} petra gd`, 'its choice is kept')
    const refused = await machine.run([
      'panel',
      'site',
      'set',
      'petra',
      second,
      '--php-memory',
      '9999',
    ])
    t.match(refused, { code: 1, stderr: /The package pair allows 512 MB of memory/ })
    const { body: account } = await client('GET', '/accounts/petra')
    t.match(String(account['warnings']), `${second} (PHP ${other})`)
  })

  t.match(await client('DELETE', '/accounts/petra'), { status: 200 })
  await machine.must('apt-get', 'purge', '-qq', '-y', `php${other}-*`)
  await machine.must('rm', '-r', '/srv/php', '/etc/apt/sources.list.d/other-php.list')
}

/** Adds a source of packages of another version, made of those in apt's cache. */
async function addSource(machine: DebianMachine, own: string, other: string): Promise<void> {
  const [archives, folder] = ['var/cache/apt/archives', 'srv/php'].map(one =>
    join(machine.root, one),
  )
  await must('sh', [repack, own, other, archives!, folder!])
  const list = '/etc/apt/sources.list.d/other-php.list'
  writeFileSync(join(machine.root, list), 'deb [trusted=yes] file:/srv/php ./\n')
  // The machine has no network for the others.
  const only = [`Dir::Etc::sourcelist=${list}`, 'Dir::Etc::sourceparts=-']
  const options = [...only, 'APT::Get::List-Cleanup=0'].flatMap(option => ['-o', option])
  await machine.must('apt-get', 'update', '-qq', ...options)
}

/** Returns the statuses that visitors got meanwhile. */
async function whileVisited(
  machine: DebianMachine,
  act: () => Promise<unknown>,
): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'panel-visits-'))
  const end = join(folder, 'end')
  const ask = [...curl, '-o', '/dev/null', '-w', '%{http_code}\\n', '-H', `Host: ${second}`]
  const loop = 'end=$1; shift; while [ ! -e "$end" ]; do "$@"; done'
  const command = ['sh', '-c', loop, 'sh', end, ...ask, 'http://127.0.0.1/v.php']
  const visitors = Array.from({ length: 3 }, () => machine.reach(command))
  try {
    await act()
  } finally {
    writeFileSync(end, '')
  }
  const outputs = await Promise.all(visitors)
  rmSync(folder, { recursive: true })
  return outputs.flatMap(({ stdout }) => stdout.trim().split('\n'))
}
