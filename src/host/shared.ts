import { log } from '../log.ts'
import { fileDrift } from './tools/file-drift.ts'
import { ensureFile } from './tools/files.ts'
import type { Drift, Machine } from './contract.ts'
import { listDifferingShared, nginxFiles } from './web/nginx-prepare.ts'
import { ensureOwnFolders, listWrongFolders } from './tools/own-folders.ts'
import { closedGroup, renderSshd, sftpGroup, sshdFile } from './access/sftp.ts'

// Files and folders that all accounts share, which somebody may have changed.

/** Lists what of them is not as it should be; changes nothing. */
export function sharedDrift(machine: Machine): Drift[] {
  const files = [...nginxFiles(machine), { path: sshdFile, text: renderSshd() }]
  const sentences = listWrongFolders(machine).map(path => `the folder ${path} differs`)
  try {
    files.push(...machine.services.sharedFiles())
  } catch (error) {
    sentences.push(String(error)) // There is no PHP.
  }
  return [
    ...sentences.map(sentence => ({ sentence })),
    ...files.flatMap(({ path, text }) => fileDrift(machine, path, text)),
  ]
}

/** Puts right what differs; only one at a time may do it. */
export async function ensureShared(machine: Machine): Promise<void> {
  if (sharedDrift(machine).length === 0) return
  const { publish, services, users } = machine
  ensureOwnFolders(machine)
  for (const group of [sftpGroup, closedGroup]) await users.ensureGroup(group)
  await told('nginx', async () => {
    if (listDifferingShared(machine).length === 0) return
    return publish({ texts: new Map(), gone: [], isShared: true })
  })
  await told('sshd', async () => {
    if (await ensureFile(machine.path(sshdFile), renderSshd(), 0o644)) return rereadSshd(machine)
  })
  await told('PHP', () => services.ensureSharedFiles())
}

/** Has sshd read its configuration again, if it is valid. */
export async function rereadSshd(machine: Machine): Promise<string | void> {
  await machine.run('sshd', ['-t'])
  return machine.services.reload('ssh')
}

/**
 * Logs a failure instead of throwing: a service that is missing or misconfigured must not keep the
 * worker from its other work. Operations that need it say so themselves.
 */
export async function told(name: string, prepareIt: () => Promise<string | void>): Promise<void> {
  try {
    const warning = await prepareIt()
    if (typeof warning === 'string') log.error('a service is not ready', warning, { name })
  } catch (error) {
    log.error('a service is not ready', error, { name })
  }
}
