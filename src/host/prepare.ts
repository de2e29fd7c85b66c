import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { ensureFile } from './tools/files.ts'
import type { Machine } from './contract.ts'
import { prepareNginx } from './web/nginx-prepare.ts'
import { staging } from './web/nginx-shared.ts'
import { ensureOwnFolders } from './tools/own-folders.ts'
import { closedGroup, renderSshd, sftpGroup, sshdFile } from './access/sftp.ts'
import { rereadSshd, told } from './shared.ts'

/** Makes what all accounts share agree with this version of the panel, at a worker's start. */
export async function prepare(machine: Machine): Promise<void> {
  const write = (path: string, text: string) => ensureFile(machine.path(path), text, 0o644)
  for (const folder of systemFolders) mkdirSync(machine.path(folder), { recursive: true })
  ensureOwnFolders(machine)
  machine.users.recover()
  // What an interrupted test left must not be part of the next one.
  for (const name of readdirSync(machine.path(staging))) rmSync(machine.path(`${staging}/${name}`))

  for (const group of [sftpGroup, closedGroup]) await machine.users.ensureGroup(group)
  await write(sshdFile, renderSshd())
  const { services } = machine
  await told('nginx', async () => {
    await prepareNginx(machine)
    return services.reload('nginx')
  })
  await told('sshd', () => rereadSshd(machine))
  await told('skeleton', () => machine.files.prepare())
  await told('PHP', () => services.prepare())
}

// A real machine has these, and their modes are its own matter.
const systemFolders = [
  '/etc/nginx/conf.d',
  '/etc/ssh/sshd_config.d',
  '/etc/systemd/system/sockets.target.wants',
  '/home',
  '/run/panel/php',
  '/var/lib',
  '/var/log/nginx',
]
