import {
  copyFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
} from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { dirname } from 'node:path'
import type { Test } from 'tap'
import { versionOf } from '../../src/host/php/linux-php.ts'
import { toHostAccount } from '../../src/model/accounts/host-account.ts'
import { listPresent } from '../../src/model/jobs/rebuilds.ts'
import { callPanel } from '../support/cli/run-panel.ts'
import { alice } from '../support/panel.ts'
import { until } from '../support/until.ts'
import { showChanges } from './php-changes.ts'
import { asUser, expectPage, putFile, run, visit, type LinuxPanel } from './machine.ts'

/** A version that Debian never had next to its own. */
export const otherVersion = '5.9'

/** Installs the machine's own PHP under another number, and returns its own number. */
export function addVersion(version = otherVersion): string {
  const program = readdirSync('/usr/sbin').find(name => versionOf(name) !== undefined)
  const own = versionOf(program ?? '')
  if (own === undefined) throw new Error('There is no php-fpm')
  copyFileSync(`/usr/sbin/php-fpm${own}`, `/usr/sbin/php-fpm${version}`)
  cpSync(`/etc/php/${own}`, `/etc/php/${version}`, { recursive: true, verbatimSymlinks: true })
  return own
}

const scripts = {
  who: `<?php echo posix_geteuid(), " ", ini_get("memory_limit"), " ", ini_get("date.timezone"),
    " ", extension_loaded("curl") ? "curl" : "none";`,
  eat: '<?php $a = []; while (true) $a[] = str_repeat("x", 1_000_000);',
  open: '<?php echo @fopen($_GET["f"], "w") ? "open" : "closed";',
  connect: '<?php echo @stream_socket_client("unix://" . $_GET["f"]) ? "open" : "closed";',
}

type Ways = {
  isIn: (pid: number, uid: number) => boolean
  /** Returns the messages about units of PHP that have failed. */
  listFailed?: () => Promise<string>
}

/**
 * Two websites of one account with PHP of different versions, on a real machine; `isIn` says
 * whether a process is under its account's limits.
 */
export async function showVersions(
  t: Test,
  panel: LinuxPanel,
  { isIn, listFailed = async () => '' }: Ways,
): Promise<void> {
  const own = addVersion()
  await panel.startMachineWorker()
  await panel.call('PUT', '/api/v1/packages/starter', {
    body: { memory_mb: 128, cpu_percent: 100, max_sites: 3 },
  })
  await t.test('many changes in a row lose no request', t => showChanges(t, panel, own, listFailed))
  const make = async (username: string) => {
    const body = { ...alice, username, domain: `${username}.example` }
    const created = await panel.call('POST', '/api/v1/accounts', { body })
    t.equal(created.status, 201, created.text)
    const rows = (await listPresent(panel.pool)).map(({ record, ...secrets }) =>
      toHostAccount(record, secrets),
    )
    return rows.find(one => one.username === username)!
  }
  const vera = await make('vera')
  const mallory = await make('mallory')
  const panelCommand = (...words: string[]) =>
    callPanel(words, { DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: dirname(panel.root) })
  const added = await panelCommand('site', 'add', 'vera', 'second.example')
  t.equal(added.code, 0, added.stderr)
  const [first] = vera.sites
  const present = (await listPresent(panel.pool)).map(({ record, ...secrets }) =>
    toHostAccount(record, secrets),
  )
  const { uid, sites } = present.find(({ username }) => username === 'vera')!
  const second = sites.find(({ domain }) => domain === 'second.example')!
  for (const { domain } of sites) {
    for (const [name, script] of Object.entries(scripts)) {
      await putFile({ uid }, `/home/vera/sites/${domain}/public/${name}.php`, script)
    }
  }
  for (const [name, script] of Object.entries(scripts)) {
    await putFile(mallory, `/home/mallory/sites/mallory.example/public/${name}.php`, script)
  }
  const set = async (php: Record<string, string> | undefined) => {
    const options = Object.entries(php ?? { reset: '' }).flatMap(([name, value]) =>
      value === '' ? [`--php-${name}`] : [`--php-${name}`, value],
    )
    const done = await panelCommand('site', 'set', 'vera', 'second.example', ...options)
    if (done.code !== 0) throw new Error(done.stderr)
  }
  const act = async (method: string, path: string) => {
    const { status, text } = await panel.call(method, `/api/v1/accounts/vera${path}`, { body: {} })
    t.equal(status, 200, text)
  }
  const masterOf = async (name: string) => {
    const { stdout } = await run('pgrep', ['-f', `php-fpm: master process \\(.*/${name}\\)`])
    return Number(stdout.trim())
  }
  const site = `${uid}/${second.id}/pool.conf`
  const programOf = (pid: number) => readlinkSync(`/proc/${pid}/exe`)
  const who = async (domain: string) => (await visit(domain, '/who.php')).text
  const usual = `${uid} 128M UTC`

  t.equal(await who(first!.domain), `${usual} curl`)
  t.equal(await who(second.domain), `${usual} curl`)
  const before = await masterOf(`${uid}.conf`)

  await t.test(
    'each runs its own version and settings, as the account and in its limits',
    async t => {
      const php = {
        version: otherVersion,
        memory: '64',
        timezone: 'Europe/Berlin',
        extension: 'curl=off',
      }
      await set(php)
      t.equal(await who(second.domain), `${uid} 64M Europe/Berlin none`)
      t.equal(await who(first!.domain), `${usual} curl`)
      t.equal(await masterOf(`${uid}.conf`), before, 'the other goes on')
      const pid = await masterOf(site)
      t.equal(programOf(pid), `/usr/sbin/php-fpm${otherVersion}`)
      t.equal(programOf(before), `/usr/sbin/php-fpm${own}`)
      t.ok(isIn(pid, uid), readFileSync(`/proc/${pid}/cgroup`, 'utf8'))
      const stat = await run('stat', ['-c', '%a %U', `/run/panel/php/${uid}-${second.id}.sock`])
      t.equal(stat.stdout, '600 panel-web\n')
    },
  )

  await t.test('another version and other settings are there with the next request', async t => {
    for (const [php, expected] of [
      [{ version: own }, `${uid} 64M Europe/Berlin none`],
      [
        { version: otherVersion, timezone: 'Asia/Tokyo', extension: 'curl=on' },
        `${uid} 64M Asia/Tokyo curl`,
      ],
    ] as const) {
      await set(php)
      t.ok(await until(async () => (await who(second.domain)) === expected), JSON.stringify(php))
      t.equal(programOf(await masterOf(site)), `/usr/sbin/php-fpm${php.version}`)
    }
  })

  await t.test('no request is lost while it changes', async t => {
    const changes: Record<string, Record<string, string> | undefined> = {
      'another version': { version: own },
      'none of its own': undefined,
      'its own again': { version: otherVersion },
    }
    for (const [what, php] of Object.entries(changes)) {
      let isOver = false
      const seen: number[] = []
      const asking = (async () => {
        while (!isOver) seen.push((await visit(second.domain, '/who.php')).status)
      })()
      await set(php)
      await sleep(500)
      isOver = true
      await asking
      t.strictSame([...new Set(seen)], [200], `${what}, ${seen.length} requests`)
    }
  })

  await t.test('a hostile account can use none of it', async t => {
    const folder = `/etc/panel/php/${uid}/${second.id}`
    const socket = `/run/panel/php/${uid}-${second.id}.sock`
    const script = `echo x >${folder}/conf.d/99-own.ini; ln -sf /tmp/evil ${folder}/php-fpm
      mv ${folder} /tmp/moved; mkdir ${folder}/../99; rm -f ${socket}; echo x >${folder}/pool.conf
      ln -sf /tmp/evil ${socket}`
    for (const one of [mallory.uid, uid]) await asUser(one, ['sh', '-c', script])
    const connect = `import socket,sys
try: socket.socket(socket.AF_UNIX).connect("${socket}"); print("open")
except PermissionError: print("refused")`
    for (const one of [mallory.uid, uid]) {
      t.equal((await asUser(one, ['python3', '-c', connect])).stdout, 'refused\n')
    }
    for (const path of [`${folder}/pool.conf`, `${folder}/conf.d/9.ini`]) {
      t.equal((await visit(second.domain, `/open.php?f=${path}`)).text, 'closed')
    }
    t.equal((await visit('mallory.example', `/connect.php?f=${socket}`)).text, 'closed')
    t.equal(await who(second.domain), `${usual} curl`)
  })

  await t.test('a version that disappears is 503 with words, and nothing else', async t => {
    renameSync(`/usr/sbin/php-fpm${otherVersion}`, '/usr/sbin/away')
    t.ok(
      await until(async () => {
        const { status, text } = await visit(second.domain, '/who.php')
        return status === 503 && /not available/.test(text)
      }, 30_000),
    )
    await expectPage(second.domain, '/', /^200 /)
    t.equal(await who(first!.domain), `${usual} curl`)
    await set({ memory: '64' }).then(
      () => t.fail('a missing version is kept'),
      (error: Error) => t.match(error.message, /is not installed/),
    )
    const rebuilt = await panelCommand('ctl', 'rebuild', 'vera')
    t.match(rebuilt.stderr, /1 account rebuilt, 0 failed/, rebuilt.stdout)
    await act('POST', '/suspend')
    await act('POST', '/unsuspend')
    const { body } = await panel.call('GET', '/api/v1/accounts/vera')
    t.match(body.warnings.join(), /second\.example \(PHP/)
    t.match(await visit(second.domain, '/who.php'), { status: 503 })
    renameSync('/usr/sbin/away', `/usr/sbin/php-fpm${otherVersion}`)
    await set({ version: otherVersion })
    t.equal(await who(second.domain), `${usual} curl`)
    const { warnings } = (await panel.call('GET', '/api/v1/accounts/vera')).body
    t.notMatch(warnings.join(), /PHP/)
  })

  await t.test('a suspended account runs neither', async t => {
    await act('POST', '/suspend')
    t.equal((await run('pgrep', ['-u', String(uid)])).stdout, '')
    t.match(await visit(second.domain, '/who.php'), { status: 503 })
    await act('POST', '/unsuspend')
    t.equal(await who(second.domain), `${usual} curl`)
  })

  await t.test('a terminated account leaves none of it', async t => {
    await act('DELETE', '')
    t.notOk(existsSync(`/etc/panel/php/${uid}`))
    const left = ['/run/panel/php', '/etc/systemd/system'].flatMap(folder => readdirSync(folder))
    t.strictSame(
      left.filter(name => name.includes(`${uid}`) && !name.startsWith('user-')),
      [],
    )
  })
}
