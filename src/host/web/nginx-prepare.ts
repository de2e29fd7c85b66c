import * as fs from 'node:fs'
import { log } from '../../log.ts'
import { hasKernel } from '../accounts/user-processes.ts'
import { textOf } from '../tools/file-drift.ts'
import { agrees, ensureFile, readFile, removeFile } from '../tools/files.ts'
import type { Machine, SharedFile } from '../contract.ts'
import {
  accessLog,
  challengeFile,
  checkFile,
  listenFile,
  ownFile,
  renderChallenge,
  renderCheck,
  renderListen,
  renderShared,
  renderTls,
  sharedFile,
  thumbprintFile,
  tlsFile,
} from './nginx-shared.ts'
import { renderSuspendedPage, suspendedPage } from './pages.ts'

/** What all websites share, as it should be; the last is what has nginx read the others. */
export function nginxFiles(machine: Machine): SharedFile[] {
  const isIpv6 = hasIpv6(machine)
  return [
    { path: listenFile, text: renderListen(isIpv6) },
    { path: tlsFile, text: renderTls(isIpv6) },
    { path: challengeFile, text: renderChallenge(thumbprintOf(machine)) },
    { path: suspendedPage, text: renderSuspendedPage() },
    { path: sharedFile, text: renderShared(isIpv6) },
  ]
}

/** The files of that which are missing or were changed. */
export const listDifferingShared = (machine: Machine): string[] =>
  nginxFiles(machine)
    .filter(({ path, text }) => !agrees(machine.path(path), text, 0o644))
    .map(({ path }) => path)

/** Brings what all websites share into nginx. A machine whose nginx refuses it stays as it was. */
export async function prepareNginx(machine: Machine): Promise<void> {
  const write = ({ path, text }: SharedFile) => ensureFile(machine.path(path), text, 0o644)
  const files = nginxFiles(machine)
  for (const file of files.slice(0, -1)) await write(file)
  await write({ path: checkFile, text: renderCheck(readFile(machine.path(ownFile))) })
  removeWelcome(machine)
  makeLog(machine)
  const before = textOf(machine.path(sharedFile))
  for (const file of files.slice(-1)) await write(file)
  try {
    await machine.run('nginx', ['-t', '-q'])
  } catch (error) {
    // nginx refuses the whole configuration, and has to be able to start after a power cut.
    if (before === undefined) removeFile(machine.path(sharedFile))
    else await write({ path: sharedFile, text: before })
    throw error
  }
}

// A thumbprint that is on its way stands in nginx's file before it is noted (certificate.ts).
function thumbprintOf(machine: Machine): string | undefined {
  const text = textOf(machine.path(challengeFile))
  const answered = /"\$1\.([\w-]+)"/.exec(text ?? '')?.[1]
  if (answered !== undefined && text === renderChallenge(answered)) return answered
  return readFile(machine.path(thumbprintFile))
}

// Before nginx, which would make it readable for every account: it tells of all websites.
function makeLog(machine: Machine): void {
  const path = machine.path(accessLog)
  fs.closeSync(fs.openSync(path, 'a', 0o640))
  fs.chmodSync(path, 0o640)
}

/** `listen [::]` stops nginx on a machine without IPv6. */
export const hasIpv6 = (machine: Machine): boolean =>
  !hasKernel(machine) || fs.existsSync(machine.path('/proc/net/if_inet6'))

// Debian's own welcome page wants to be the default server too, whom only one can be.
function removeWelcome(machine: Machine): void {
  const path = machine.path('/etc/nginx/sites-enabled/default')
  const found = fs.lstatSync(path, { throwIfNoEntry: false })
  if (found?.isSymbolicLink() !== true) return
  if (fs.readlinkSync(path) !== '/etc/nginx/sites-available/default') return
  fs.rmSync(path)
  log.info('the welcome page of nginx was switched off', { path })
}
