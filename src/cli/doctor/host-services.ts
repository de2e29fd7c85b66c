import { existsSync } from 'node:fs'
import { readFile } from '../../host/tools/files.ts'
import { isCronUp } from '../../host/services/hidden-processes.ts'
import { readTrustedProxies } from '../../host/web/trusted-proxies-file.ts'
import { listTrustedProxies } from '../../model/server/trusted-proxies.ts'
import { versionOf } from '../../host/php/linux-php.ts'
import {
  listPackagesWithout,
  listPhpSites,
  readPhpVersion,
} from '../../model/server/php-versions.ts'
import * as services from '../../host/services/service-health.ts'
import { isSocketOpen } from '../../host/php/socket.ts'
import { configurationOf, socketOf, toInstance } from '../../host/php/instances.ts'
import {
  type Checks,
  failure,
  fixedBy,
  fixedByRoot,
  list,
  type DoctorContext,
  requireKernel,
  rebuilds,
  requireRoot,
  Skip,
  warning,
  well,
} from './check.ts'

const rebuild = { do: 'rebuild-server' } as const

/** Checks the services that accounts use. */
export const serviceChecks: Checks = {
  async 'nginx-configuration'(panel) {
    requireTool(panel, 'nginx')
    const problem = await services.whyRefused(panel.machine, 'nginx', ['-t', '-q'])
    if (problem === undefined) return well('nginx accepts its configuration')
    const advice = 'Fix the file it names: until then nginx can neither reload nor restart'
    return failure(problem, advice)
  },
  async 'nginx-running'(panel) {
    requireTool(panel, 'systemctl')
    if (await panel.machine.services.isUp('nginx')) return well('nginx is running')
    const down = 'nginx is not running: websites are not served'
    return fixedBy(failure(down, 'systemctl start nginx'), {
      do: 'start-service',
      service: 'nginx',
    })
  },
  'nginx-includes'({ machine }) {
    const problem = services.whyNotIncluded(machine)
    if (problem === undefined) return well("nginx includes the panel's files")
    return failure(problem, 'Add include /etc/nginx/conf.d/*.conf; to its http block')
  },
  'nginx-shared'({ machine }) {
    const differing = services.listDifferingShared(machine)
    if (differing.length === 0) return well('The files that all websites share are unchanged')
    const words = `Files that all websites share are changed or missing: ${list(differing)}`
    return fixedBy(failure(words, 'Run panel ctl rebuild to write them again'), rebuild)
  },
  async 'nginx-proxies'({ machine, db }) {
    const desired = await listTrustedProxies(await db())
    const noted = readTrustedProxies(machine)
    if (desired.join() === noted.join()) return well('nginx trusts the proxies of the list')
    const words = `nginx trusts ${list(noted) || 'no proxy'} and not ${list(desired) || 'none'}`
    const advice = 'Run panel ctl rebuild to write its configuration again'
    return fixedBy(failure(words, advice), rebuild)
  },
  'nginx-reloaded'({ machine }) {
    if (!services.isReloadOverdue(machine, Date.now()))
      return well('nginx has read its configuration')
    const words = 'nginx may not have read its configuration: a reload is over a minute late'
    return warning(
      words,
      'Make sure that the worker is running, then run panel ctl rebuild for any account',
    )
  },
  'cron-running'(panel) {
    requireKernel(panel)
    requireTool(panel, 'cron')
    if (isCronUp(panel.machine)) return well('cron is running')
    const down = failure('cron is not running: no cron job starts', 'systemctl start cron')
    return fixedBy(down, { do: 'start-service', service: 'cron' })
  },
  async 'sshd-configuration'(panel) {
    requireTool(panel, 'sshd')
    const problem = await services.whyRefused(panel.machine, 'sshd', ['-t'])
    if (problem === undefined) return well('sshd accepts its configuration')
    return failure(problem, 'Fix the file it names before sshd has to restart')
  },
  async 'sshd-running'(panel) {
    requireTool(panel, 'systemctl')
    if (await panel.machine.services.isUp('ssh')) return well('sshd is running')
    const down = failure('sshd is not running: SFTP logins fail', 'systemctl start ssh')
    return fixedBy(down, { do: 'start-service', service: 'ssh' })
  },
  'sftp-locked-in'({ machine }) {
    if (services.isSshdPartWritten(machine)) return well('SFTP users are locked into their homes')
    const words = "The panel's part of sshd's configuration was changed or removed"
    const advice = 'Run panel ctl rebuild to write it again and reload sshd'
    return fixedBy(failure(words, advice), rebuild)
  },
  async 'sftp-in-effect'(panel) {
    requireTool(panel, 'sshd')
    if (await services.isSshdPartRead(panel.machine)) return well("sshd reads the panel's part")
    const words = 'sshd does not read /etc/ssh/sshd_config.d: SFTP users are not locked in'
    const advice = 'Add Include /etc/ssh/sshd_config.d/*.conf at the top of sshd_config'
    return failure(words, advice)
  },
  php({ machine }) {
    const name = services.findPhp(machine)
    if (name === null) throw new Skip('The sandbox host has no php-fpm')
    if (name !== undefined) return well(`${name} is installed`)
    return failure('php-fpm is not installed: websites answer 502', 'apt-get install php-fpm')
  },
  async 'php-default'({ machine, db }) {
    const chosen = await readPhpVersion(await db())
    const installed = machine.php.versions()
    if (installed.length === 0) throw new Skip('There is no version to compare')
    const found = versionOf(machine.php.name())
    const desired = chosen ?? installed[0]
    if (found === desired) return well(`Accounts run PHP ${found} by default`)
    const words = `Accounts run PHP ${found} by default and not ${desired}`
    if (desired !== undefined && installed.includes(desired))
      return fixedBy(failure(words, 'Run panel ctl rebuild to switch them'), rebuild)
    const advice = `Run panel php install ${desired}, or choose another one with panel php default`
    const lacking = failure(`${words}, which is not installed`, advice)
    return fixedByRoot(lacking, `panel php install ${desired}`)
  },
  async 'php-versions'({ machine, db }) {
    const installed = machine.php.versions()
    const lacking = (await listPhpSites(await db())).filter(one => !installed.includes(one.version))
    const [first] = lacking
    if (first === undefined) {
      const packages = await listPackagesWithout(await db(), installed)
      if (packages.length === 0) return well('The versions that websites have chosen are installed')
      const words = `No version that these packages allow is installed: ${list(packages)}`
      return warning(
        words,
        'Their websites run the default: panel php install, or panel package set',
      )
    }
    const names = lacking.map(({ domain, version }) => `${domain} (PHP ${version})`)
    const words = `Scripts of these websites answer 503, as their version is gone: ${list(names)}`
    const advice =
      `Run panel php install ${first.version}, or panel site set ${first.username} ` +
      `${first.domain} --php-version default`
    return fixedByRoot(failure(words, advice), `panel php install ${first.version}`)
  },
  async 'php-sockets'(panel) {
    requireKernel(panel)
    const active = (await panel.accounts()).filter(({ desired }) => desired === 'active')
    const silent = active.filter(({ uid }) => !isSocketOpen(socketOf(uid)))
    if (silent.length === 0) return well('PHP answers for every active account')
    const names = silent.map(({ username }) => username)
    const words = `PHP does not answer for ${list(names)}`
    const advice = `panel ctl rebuild ${names[0]}, and so on`
    return fixedBy(failure(words, advice), ...rebuilds(names))
  },
  async 'php-units'(panel) {
    requireTool(panel, 'systemctl')
    const failed = await panel.machine.services.listFailed()
    if (failed === undefined) throw new Skip('systemd is not running')
    if (failed.length === 0) return well('No unit of the panel has failed')
    const words = `Units have failed: ${list(failed)}`
    const found = warning(words, `${logCommandOf(failed[0]!)} says why`)
    return fixedByRoot(found, `systemctl restart ${failed.join(' ')}`)
  },
  'control-groups'({ machine }) {
    const missing = services.listMissingControllers(machine)
    if (missing === undefined) throw new Skip('The sandbox host has no control groups')
    if (missing.length === 0) return well('The kernel can limit memory, CPU and processes')
    const words = `The kernel does not limit ${list(missing)}: accounts are not isolated`
    return warning(words, 'Boot with cgroup_enable=memory, or ask the provider of the host')
  },
  'operating-system'({ machine }) {
    const text = readFile(machine.path('/usr/lib/os-release'))
    if (text === undefined) throw new Skip('The sandbox host has no operating system')
    const field = (name: string) =>
      new RegExp(`^${name}="?([^"\n]*)`, 'm').exec(text)?.[1] ?? 'unknown'
    const words = `The system is ${field('PRETTY_NAME')}`
    const isKnown = field('ID') === 'debian' && ['12', '13'].includes(field('VERSION_ID'))
    if (isKnown) return well(words)
    return warning(words, 'The panel is tested on Debian 12 and 13 only: move it to one of them')
  },
  'restart-due'({ machine }) {
    if (!existsSync(machine.path('/run/reboot-required'))) return well('No reboot is needed')
    const words = 'A system update needs a reboot'
    return warning(words, 'Reboot when convenient; everything starts again by itself')
  },
}

/** @throws {Skip} where the tool is missing */
function requireTool(panel: DoctorContext, tool: string): void {
  requireRoot(panel)
  const { tools } = panel.machine
  // A real machine without it has to hear so.
  if (!tools.areRequired && !tools.has(tool)) {
    throw new Skip(`The sandbox host has no ${tool}`)
  }
}

// PHP logs to its own file, but errors at its start go to the journal only.
function logCommandOf(unit: string): string {
  const instance = toInstance(/^panel-php@(.*)\.service$/.exec(unit)?.[1] ?? '')
  return instance === undefined
    ? `journalctl -u ${unit}`
    : `php-fpm -t -y ${configurationOf(instance)}`
}
