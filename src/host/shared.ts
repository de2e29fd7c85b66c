import { mkdirSync } from 'node:fs'
import { log } from '../log.ts'
import type { Warning } from '../model/accounts/warnings.ts'
import { fileDrift } from './tools/file-drift.ts'
import type { Drift, Machine } from './contract.ts'
import { ensureRead, isStale } from './services/stale.ts'
import { nginxFiles, prepareNginx } from './web/nginx-prepare.ts'
import { adminerDrift, ensureAdminer } from './adminer/adminer.ts'
import { webServer } from './accounts/users.ts'
import { ensureOwnFolders, listWrongFolders } from './tools/own-folders.ts'
import { ensureMail, mailDrift } from './mail/programs.ts'
import { closedGroup, renderSshd, sftpGroup, sshdFile } from './access/sftp.ts'

// Files and folders that all accounts share, and that someone may have changed.

/** Returns which of them differ; changes nothing. */
export function sharedDrift(machine: Machine): Drift[] {
  const files = [...nginxFiles(machine), { path: sshdFile, text: renderSshd() }]
  const sentences = listWrongFolders(machine).map(path => `the folder ${path} differs`)
  sentences.push(...adminerDrift(machine))
  if (isStale(machine, 'nginx')) sentences.push('nginx has not read its configuration')
  try {
    files.push(...machine.services.sharedFiles())
  } catch (error) {
    sentences.push(String(error)) // PHP is not installed.
  }
  return [
    ...mailDrift(machine),
    ...sentences.map(sentence => ({ sentence })),
    ...files.flatMap(({ path, text }) => fileDrift(machine, path, text)),
  ]
}

/** Corrects what differs; only one call at a time may do so. */
export async function ensureShared(machine: Machine): Promise<void> {
  if (sharedDrift(machine).length === 0) return
  const { services, users } = machine
  for (const group of [sftpGroup, closedGroup]) await users.ensureGroup(group)
  await users.ensureSystemUser(webServer)
  ensureOwnFolders(machine)
  await reported('nginx', () => prepareNginx(machine))
  await reported('sshd', () => prepareSshd(machine))
  await reported('PHP', () => services.ensureSharedFiles())
  await reported('Adminer', () => ensureAdminer(machine))
  await reported('mail', () => ensureMail(machine))
}

/** Makes what all accounts share agree with this version of the panel, when a worker starts. */
export async function prepare(machine: Machine): Promise<void> {
  for (const folder of systemFolders) mkdirSync(machine.path(folder), { recursive: true })
  const { services, users } = machine
  users.recover()
  for (const group of [sftpGroup, closedGroup]) await users.ensureGroup(group)
  await users.ensureSystemUser(webServer)
  ensureOwnFolders(machine)
  await reported('nginx', () => prepareNginx(machine))
  await reported('sshd', () => prepareSshd(machine))
  await reported('skeleton', () => machine.files.prepare())
  await reported('PHP', () => services.prepare())
  await reported('Adminer', () => ensureAdminer(machine))
  await reported('mail', () => ensureMail(machine))
}

// A real machine has these, with modes of its own.
const systemFolders = [
  '/etc/nginx/conf.d',
  '/etc/ssh/sshd_config.d',
  '/etc/systemd/journald.conf.d',
  '/etc/systemd/system/sockets.target.wants',
  '/home',
  '/run',
  '/var/lib',
  '/var/log/nginx',
]

/** Makes sshd read the panel's part of its configuration, if the whole is valid. */
const prepareSshd = (machine: Machine): Promise<Warning | void> =>
  ensureRead(machine, 'sshd', [{ path: sshdFile, text: renderSshd() }], async () => {
    await machine.run('sshd', ['-t'])
    return machine.services.reload('ssh')
  })

/**
 * Logs a failure instead of throwing: a service that is missing or misconfigured must not keep the
 * worker from its other work. Operations that need it report that themselves.
 */
async function reported(name: string, prepareIt: () => Promise<Warning | void>): Promise<void> {
  try {
    const warning = await prepareIt()
    if (warning !== undefined) log.error('a service is not ready', warning.sentence, { name })
  } catch (error) {
    log.error('a service is not ready', error, { name })
  }
}
