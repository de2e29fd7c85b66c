import {
  appendFileSync,
  chmodSync,
  chownSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import type { Test } from 'tap'
import { ensureLink } from '../../src/host/tools/files.ts'
import { runPanel, type Output } from '../support/cli/run-panel.ts'
import { alice } from '../support/panel.ts'
import { asUser, putFile, run, sftp, expectPage, visit, type LinuxPanel } from './machine.ts'

export type Drift = {
  /** A file that holds limits of an account, and a text that holds others. */
  limitsOf: (uid: number) => { path: string; other: string }
  /** Files that all accounts share, besides those of nginx and sshd. */
  shared?: string[]
}

const [nginx, sshd] = ['/etc/nginx/conf.d/panel.conf', '/etc/ssh/sshd_config.d/60-panel.conf']

/**
 * `panel ctl rebuild` as a process of its own, on a machine that was changed by hand: what it
 * reports, what it repairs, and what it leaves alone. The worker is running.
 */
export async function showRebuild(
  t: Test,
  panel: LinuxPanel,
  { limitsOf, shared = [] }: Drift,
): Promise<void> {
  const environment = {
    DATABASE_URL: panel.databaseUrl,
    PANEL_HOST: 'linux',
    PANEL_STATE_DIR: '/var/lib/panel-state',
  }
  const rebuild = (...words: string[]): Promise<Output> =>
    runPanel(['ctl', 'rebuild', ...words], environment)
  for (const username of ['rita', 'ray']) {
    const body = { ...alice, username, domain: `${username}.example` }
    const created = await panel.call('POST', '/api/v1/accounts', { body })
    t.equal(created.status, 201, created.text)
  }
  const { rows } = await panel.pool.query(
    `select a.username, a.uid, s.id from panel.accounts a join panel.sites s on s.account_id = a.id
     where a.username in ('rita', 'ray') order by a.username desc`,
  )
  const [rita, ray] = rows
  const siteOf = ({ id }: { id: string }) => `/var/lib/panel/web/live/${id.padStart(10, '0')}/http`
  await expectPage('rita.example', '/', /^200 /)
  const site = '/home/rita/sites/rita.example/public'
  await putFile(rita, `${site}/who.php`, '<?php echo posix_geteuid();')
  t.match(await rebuild('--dry-run'), { code: 0, stdout: '', stderr: / differ\n$/ }, 'it agrees')

  const limits = limitsOf(rita.uid)
  const files = [`/etc/panel/php/${rita.uid}.conf`, sshd, limits.path, ...shared]
  const before = files.map(path => readFileSync(path, 'utf8'))
  const links = [rita, ray].map(one => readlinkSync(siteOf(one)))
  ensureLink(siteOf(rita), '/home/ray/sites/ray.example/public')
  appendFileSync(`/etc/panel/php/${rita.uid}.conf`, 'pm.max_children = 999\n')
  writeFileSync(limits.path, limits.other)
  ensureLink(siteOf(ray), '/srv')
  chmodSync('/home/rita', 0o777)
  // The second is the state without a login.
  for (const change of [
    ['-s', '/bin/bash'],
    ['-P', '/.', '-d', '/tmp'],
    ['-g', 'users'],
  ]) {
    t.equal((await run('usermod', [...change, 'rita'])).code, 0)
  }
  // Anybody can do this by SFTP, and only root can undo it.
  await asUser(rita.uid, ['chgrp', 'rita', '/home/rita/sites'])
  t.not((await sftp('rita', alice.password, 'pwd\n')).code, 0, 'as sshd sees it')
  rmSync(nginx)
  writeFileSync(sshd, '')
  for (const path of shared) appendFileSync(path, '# more\n')
  const drifted = files.map(path => readFileSync(path, 'utf8'))

  const dry = await rebuild('--dry-run', 'rita')
  t.equal(dry.code, 0, dry.stderr)
  for (const line of [
    ...[`all accounts: ${nginx}\n\\+ # Written`, `all accounts: ${sshd}\n\\+ `],
    `rita: ${siteOf(rita)}\n- /home/ray/.*\n\\+ /home/rita/`,
    `rita: /etc/panel/php/${rita.uid}.conf\n- pm.max_children = 999\n`,
    ...shared.map(path => `all accounts: ${path}\n- # more\n`),
    ...['rita: the mode of /home/rita differs\n', 'rita: the limits differ\n'],
    'rita: the owner of /home/rita/sites differs\n',
    ...['rita: the shell differs\n', 'rita: the home in the user database differs\n'],
    'rita: the primary group differs\n',
  ])
    t.match(dry.stdout, new RegExp(line))
  t.notMatch(dry.stdout, /^ray/m)
  const untouched = files.map(path => readFileSync(path, 'utf8'))
  t.strictSame(untouched, drifted, 'looking changes nothing')

  t.match((await run('getent', ['passwd', 'rita'])).stdout, ':/tmp:/bin/bash\n')
  const named = await rebuild('rita')
  t.match(named, { code: 0, stderr: /1 account rebuilt, 0 failed, 1 differed/ }, named.stderr)
  const entry = (await run('getent', ['passwd', 'rita'])).stdout
  t.match(entry, `:${rita.uid}:${rita.uid}::/home/rita:/usr/sbin/nologin\n`)
  t.match(named.stdout, `all accounts: ${nginx} was missing`)
  t.equal(readlinkSync(siteOf(ray)), '/srv', 'who was not named')
  const all = await rebuild()
  t.match(all, { code: 0, stdout: `ray: ${siteOf(ray)} was different\n` }, all.stderr)
  t.strictSame(
    files.map(path => readFileSync(path, 'utf8')),
    before,
  )
  t.strictSame(
    [rita, ray].map(one => readlinkSync(siteOf(one))),
    links,
  )
  t.match(await rebuild('--dry-run'), { code: 0, stdout: '' })
  t.equal((await sftp('rita', alice.password, 'pwd\n')).code, 0)
  await expectPage('rita.example', '/who.php', new RegExp(`^200 ${rita.uid}$`))
  t.equal((await visit('ray.example')).status, 200)
}

/** PHP that listens at an unknown address, on the machine that `showRebuild` has left. */
export async function showClosedSockets(t: Test, { databaseUrl, pool }: LinuxPanel): Promise<void> {
  const environment = {
    ...{ DATABASE_URL: databaseUrl, PANEL_HOST: 'linux' },
    PANEL_STATE_DIR: '/var/lib/panel-state',
  }
  const { rows } = await pool.query(`select uid from panel.accounts where username = 'rita'`)
  const socket = `/run/panel/php/${rows[0].uid}.sock`
  const ways: Record<string, () => void> = {
    'it is gone': () => rmSync(socket),
    'another mode': () => chmodSync(socket, 0o000),
    'another owner': () => chownSync(socket, 0, 0),
    'no socket': () => {
      rmSync(socket)
      writeFileSync(socket, '')
    },
  }
  for (const [what, close] of Object.entries(ways)) {
    await expectPage('rita.example', '/who.php', /^200 /)
    close()
    t.equal((await visit('rita.example', '/who.php')).status, 502, what)
    const dry = await runPanel(['ctl', 'rebuild', '--dry-run'], environment)
    t.equal(dry.stdout, 'rita: PHP is not running\n', what)
    const result = await runPanel(['ctl', 'rebuild'], environment)
    t.match(result, { code: 0, stdout: 'rita: PHP is not running\n' }, `${what} ${result.stderr}`)
    await expectPage('rita.example', '/who.php', /^200 /)
  }
}
