import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { listVersions } from '../host/php/linux-php.ts'
import { listNames } from '../host/tools/files.ts'
import { run } from '../host/tools/run.ts'
import type { InstallStep } from './plan.ts'

// The services that the packages of php-fpm start by themselves: a master of root's with a pool of
// www-data, which accounts do not use. They stay if an administrator may use them.

/** Switches off the services of all versions that were not configured. */
export const stockPhpStep: InstallStep = {
  name: 'php',
  does: () =>
    "Switch off the distribution's php-fpm service, unless it was configured: accounts have theirs",
  async act() {
    for (const version of listVersions(path => path)) await stopStockPhp(version)
  },
}

/** Switches off the service of one version, if only the pool of its package is there, unused. */
export async function stopStockPhp(version: string): Promise<void> {
  if (!existsSync('/run/systemd/system')) return
  if (!(await isPoolStock(version)) || isSocketNamed()) return
  await run('systemctl', ['disable', '--quiet', '--now', '--', `php${version}-fpm.service`])
}

async function isPoolStock(version: string): Promise<boolean> {
  const folder = `/etc/php/${version}/fpm/pool.d`
  const names = listNames(folder)
  if (names.length !== 1 || names[0] !== 'www.conf') return false
  const query = ['--show', '--showformat=${Conffiles}', `php${version}-fpm`]
  // A program that no package has installed has no such service.
  const listed = await run('dpkg-query', query, { acceptedCodes: [1] })
  const sum = createHash('md5')
    .update(readFileSync(`${folder}/www.conf`))
    .digest('hex')
  return listed.includes(` ${folder}/www.conf ${sum}`)
}

// Configuration of web servers that is in effect, as Debian's packages lay it out.
const configurations = [
  '/etc/nginx/{nginx.conf,conf.d/**,sites-enabled/**,snippets/**}',
  '/etc/apache2/{apache2.conf,*-enabled/**}',
  '/etc/{lighttpd,caddy}/**',
]

/** Returns whether a web server uses a socket of such a service. */
const isSocketNamed = (): boolean =>
  globSync(configurations)
    .filter(path => statSync(path, { throwIfNoEntry: false })?.isFile())
    .some(path => /^[^#\n]*\/run\/php\//m.test(readFileSync(path, 'utf8')))
