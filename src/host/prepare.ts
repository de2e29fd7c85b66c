import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { ensureFile, ensureFolder } from './files.ts'
import { trash } from './home.ts'
import type { Machine } from './machine.ts'
import {
  challengeFile,
  checkFile,
  listenFile,
  live,
  renderChallenge,
  renderCheck,
  renderListen,
  renderShared,
  sharedFile,
  staging,
} from './nginx-shared.ts'
import { indexPage, renderIndexPage, renderSuspendedPage, suspendedPage } from './pages.ts'
import { phpBinary, renderService, renderSocket } from './php-unit.ts'
import * as services from './services.ts'
import { renderSshd, sftpGroup } from './sftp.ts'

/** Makes what all accounts share agree with this version of the panel, at a worker's start. */
export async function prepare(machine: Machine): Promise<void> {
  const write = (path: string, text: string) => ensureFile(machine.path(path), text, 0o644)
  for (const folder of systemFolders) mkdirSync(machine.path(folder), { recursive: true })
  for (const [path, mode] of ownFolders) ensureFolder(machine.path(path), mode)
  // What an interrupted write of the user database left.
  for (const name of ['passwd', 'group', 'shadow']) {
    if (machine.kind === 'sandbox') rmSync(machine.path(`/etc/${name}.new`), { force: true })
  }
  // What an interrupted test left must not be part of the next one.
  for (const name of readdirSync(machine.path(staging))) rmSync(machine.path(`${staging}/${name}`))

  await machine.users.ensureGroup(sftpGroup)
  await write(indexPage, renderIndexPage())
  await write(suspendedPage, renderSuspendedPage())

  // `listen [::]` stops nginx on a machine without IPv6.
  const hasIpv6 = machine.kind === 'sandbox' || existsSync('/proc/net/if_inet6')
  await write(listenFile, renderListen(hasIpv6))
  await write(challengeFile, renderChallenge())
  await write(checkFile, renderCheck())
  await write(sharedFile, renderShared(hasIpv6))
  await machine.run('nginx', ['-t', '-q'])
  await services.reload(machine, 'nginx')

  const php = phpBinary(machine)
  await write('/etc/systemd/system/panel-php@.socket', renderSocket())
  await write('/etc/systemd/system/panel-php@.service', renderService(php))
  await services.readUnits(machine)

  await write('/etc/ssh/sshd_config.d/60-panel.conf', renderSshd())
  await machine.run('sshd', ['-t'])
  await services.reload(machine, 'ssh')
}

// A real machine has these, and their modes are its own matter.
const systemFolders = [
  '/etc/nginx/conf.d',
  '/etc/ssh/sshd_config.d',
  '/etc/systemd/system/sockets.target.wants',
  '/home',
  '/var/lib',
  '/var/log/nginx',
]

const ownFolders: [path: string, mode: number][] = [
  ['/etc/panel', 0o755],
  ['/etc/panel/php', 0o755],
  ['/etc/panel/keys', 0o755],
  ['/etc/nginx/panel', 0o755],
  [live, 0o755],
  [staging, 0o755],
  ['/var/lib/panel', 0o755],
  ['/var/lib/panel/pages', 0o755],
  ['/var/lib/panel/challenge', 0o755],
  ['/var/lib/panel/quota', 0o755],
  [trash, 0o700],
]
