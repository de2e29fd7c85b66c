import type { Test } from 'tap'
import { until } from '../support/until.ts'
import { showApplications } from './applications/applications.ts'
import { type DebianMachine, openDebian } from './debian-machine.ts'
import { showDatabaseElsewhere } from './database-elsewhere.ts'
import {
  addShop,
  type Shop,
  showAdmission,
  showMariaDbAlone,
  showNoDatabases,
  showPurged,
} from './installed-databases.ts'
import { showEverything } from './every-operation.ts'
import { beginLooking, showHidden } from './hidden.ts'
import { describe, differences, installKilled } from './install-kills.ts'
import {
  type Client,
  clientOf,
  openClient,
  services,
  showAllIsThere,
  showFindings,
  showLife,
  showOtherLicense,
  showSelfLicense,
  visit,
} from './installed.ts'
import { showAccountBackups } from './installed-backups.ts'
import { showMail } from './installed-mail.ts'
import { showMailHosting } from './installed-mail-hosting.ts'
import { showModules } from './installed-modules.ts'
import { showSecurity } from './installed-security.ts'
import { showWebsites } from './installed-websites.ts'
import { giveAddress, showPeople } from './people.ts'
import { installer, showRefusals, unpacked } from './refusals.ts'
import { keep, showRestored } from './restored.ts'
import { showUnits } from './units.ts'

type Ways = {
  /** Whether accounts get databases. */
  databases: boolean
  /** Installs the panel that lives; returns the administrator's password. */
  installFirst: (t: Test, machine: DebianMachine) => Promise<string>
  /** The way an installation is interrupted. */
  kill: (machine: DebianMachine, stop: () => Promise<void>) => Promise<void>
  /** Further tests of a panel with accounts. */
  afterwards?: (t: Test, machine: DebianMachine, client: Client) => Promise<void>
}

/** A panel on fresh machines of one Debian, from what is refused to what is left at the end. */
export async function showInstalled(
  t: Test,
  suite: string,
  { databases, installFirst, kill, afterwards }: Ways,
): Promise<void> {
  const open = await openDebian(t, suite)
  const machine = await open('whole')
  await machine.boot()
  await giveAddress(machine)
  let undisturbed: string[] = []
  let password = ''

  await t.test('a machine that is not fit is refused, and stays as it is', t =>
    showRefusals(t, machine),
  )

  await t.test('two commands make a panel of a fresh machine', async t => {
    password = await installFirst(t, machine)
    t.match(await machine.must('systemctl', '--failed', '--no-legend'), /^$/)
    t.match(await machine.must('cat', '/var/log/panel/install.log'), /health: done/)
    undisturbed = await describe(machine)
  })

  await t.test('a second install changes nothing, and restarts nothing', async t => {
    const running = [...services, ...(databases ? ['mariadb'] : [])]
    const since = () => machine.must('systemctl', 'show', '-p', 'MainPID', ...running)
    const before = await since()
    const result = await machine.run(['panel', 'install', '--yes'])
    t.equal(result.code, 0, result.stderr)
    t.notMatch(result.stdout, /password/)
    t.equal(await since(), before)
    t.strictSame(differences(await describe(machine), undisturbed), none)
    // The settings can be changed of a server that is full.
    const full = ['unshare', '-m', 'sh', '-c', 'mount -t tmpfs -o size=1m x /home; exec "$@"', 'sh']
    const again = [...full, 'panel', 'install', '--yes', '--dry-run']
    t.match(await machine.run(again), { code: 0 })
  })

  await t.test('a hoster signs a license of their own', t => showSelfLicense(t, machine))
  const client = await openClient(machine)
  await t.test('shared files are complete before the first account', async t => {
    const answer = JSON.parse(await machine.must('panel', 'ctl', 'rebuild', '--json'))
    t.match(answer, { rebuilt: 0, shared: [], shared_failed: [] })
  })

  await t.test('a license of another server is refused', t => showOtherLicense(t, machine))
  await t.test('an account lives its life, apart from the panel', t => showLife(t, machine, client))
  await beginLooking(machine)
  await t.test('websites are served as applications expect', t => showWebsites(t, machine, client))
  await t.test('nginx follows its modules', t => showModules(t, machine, client))
  await t.test('accounts are backed up', t => showAccountBackups(t, machine, client))
  await t.test('an account opens nothing of others', t => showSecurity(t, machine, client))
  await t.test('scripts send mail by a relay', t => showMail(t, machine, client))
  await t.test('accounts have mailboxes where they are switched on', t =>
    showMailHosting(t, machine, client),
  )
  await t.test('people sign in, by TLS alone', t => showPeople(t, machine, client, password))
  let shop: Shop | undefined
  await t.test('accounts have databases where they were asked for', async t => {
    if (databases) shop = await addShop(t, machine)
    else await showNoDatabases(t, machine)
    if (shop) await showAdmission(t, machine, client, shop)
  })
  await t.test('info and doctor know it', t => showFindings(t, machine))
  await t.test('the units are as closed as their work allows', t => showUnits(t, machine, client))
  if (shop) {
    await t.test('the units let all work be done', t => showEverything(t, machine, client))
    await t.test('applications work as listed', t => showApplications(t, machine, client))
  }

  await t.test('accounts see no processes of others', t => showHidden(t, machine))

  await t.test('all comes back with the machine', async t => {
    await machine.reboot()
    await showAllIsThere(t, machine, client)
    if (shop) t.match(await shop.ask(), { code: 0 })
  })

  await t.test('a panel that is taken off leaves websites, and comes back', async t => {
    t.match(await machine.run(['panel', 'uninstall', '--yes']), { code: 0 })
    t.equal((await machine.must('sh', '-c', 'ls /opt /usr/bin | grep panel || true')).trim(), '')
    t.equal(await visit(machine, 'bob.example', '/who.php'), '200 PHP of bob')
    t.equal((await machine.run(['pgrep', '-u', 'www-data', 'php-fpm'])).stdout, '')
    if (shop) await showMariaDbAlone(t, machine, shop)
    const again = await machine.run([...installer, '--yes'])
    t.equal(again.code, 0, again.stderr)
    await showAllIsThere(t, machine, client)
  })

  const kept = await keep(machine, client)

  await t.test('a purged installation leaves nothing', async t => {
    for (const words of [[], ['--purge']]) {
      const refused = await machine.run(['panel', 'uninstall', ...words])
      t.match(refused, { code: 1, stderr: /use --yes/ })
    }
    const asked = ['script', '-qec', 'panel uninstall --purge', '/dev/null']
    const mistyped = await machine.run(asked, 'panel\r')
    t.match(mistyped, { code: 1, stdout: /Not confirmed; nothing was changed/ })
    t.match(await client('GET', '/accounts/bob'), { status: 200 })
    const purged = await machine.run(asked, 'panel.example.com\r')
    t.equal(purged.code, 0, purged.stdout)
    const left = `find /etc /var /run /home /opt -name '*panel*'; ls -A /home;
      getent passwd | grep panel; grep -r panel /etc/postgresql; find /etc /var -xdev -nouser`
    t.equal((await machine.run(['sh', '-c', left])).stdout, '')
    if (shop) await showPurged(t, machine)
    await machine.must('nginx', '-t')
    // The package's files, and its welcome page.
    t.match(await machine.run(['dpkg', '--verify', 'nginx-common']), { code: 0, stdout: '' })
    t.match(await visit(machine, 'bob.example'), /^200 .*Welcome to nginx!/s)
  })
  await t.test('its database may be elsewhere', t => showDatabaseElsewhere(t, machine))
  await machine.cut()

  await t.test('killed at each step, the next one ends in the same state', async t => {
    const other = await open('killed')
    await other.boot()
    await installKilled(t, other, stop => kill(other, stop), databases)
    const result = await other.run([...installer, '--yes'])
    t.equal(result.code, 0, result.stderr)
    t.match(result.stdout, /password {7}\S{20} \(not shown again\)/)
    t.strictSame(differences(await describe(other), undisturbed), none)
    await until(async () => (await other.run(['panel', 'ctl', 'info'])).code === 0)
    t.match(await other.must('ls', unpacked), /release\.json/)
    await t.test('its backup restores another machine', t => showRestored(t, other, kept))
    await afterwards?.(t, other, clientOf(other, client.token))
    await other.cut()
  })
}

const none = { missing: [], more: [] }
