import * as fs from 'node:fs'
import { log } from '../log.ts'
import { ensureFile, readFile, removeFile } from './files.ts'
import type { Machine } from './machine.ts'
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

/** Brings what all websites share into nginx. A machine whose nginx refuses it stays as it was. */
export async function prepareNginx(machine: Machine): Promise<void> {
  const write = (path: string, text: string) => ensureFile(machine.path(path), text, 0o644)
  const isIpv6 = hasIpv6(machine)
  await write(listenFile, renderListen(isIpv6))
  await write(tlsFile, renderTls(isIpv6))
  await write(challengeFile, renderChallenge(readFile(machine.path(thumbprintFile))))
  await write(checkFile, renderCheck(readFile(machine.path(ownFile))))
  removeWelcome(machine)
  makeLog(machine)
  const before = readFile(machine.path(sharedFile))
  await write(sharedFile, renderShared(isIpv6))
  try {
    await machine.run('nginx', ['-t', '-q'])
  } catch (error) {
    // Whatever it can't be together with, nginx has to start again after a power cut.
    if (before === undefined) removeFile(machine.path(sharedFile))
    else await write(sharedFile, before)
    throw error
  }
}

// Before nginx, which would make it readable for every account: it tells of all websites.
function makeLog(machine: Machine): void {
  const path = machine.path(accessLog)
  fs.closeSync(fs.openSync(path, 'a', 0o640))
  fs.chmodSync(path, 0o640)
}

/** `listen [::]` stops nginx on a machine without IPv6. */
export const hasIpv6 = (machine: Machine): boolean =>
  machine.kind === 'sandbox' || fs.existsSync('/proc/net/if_inet6')

// Debian's own welcome page wants to be the default server too, whom only one can be.
function removeWelcome(machine: Machine): void {
  const path = machine.path('/etc/nginx/sites-enabled/default')
  const found = fs.lstatSync(path, { throwIfNoEntry: false })
  if (found?.isSymbolicLink() !== true) return
  if (fs.readlinkSync(path) !== '/etc/nginx/sites-available/default') return
  fs.rmSync(path)
  log.info('the welcome page of nginx was switched off', { path })
}
