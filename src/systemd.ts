import { spawn } from 'node:child_process'
import { isUnderSystemd } from './config.ts'

/**
 * Notifies systemd, if it started this process with `Type=notify` (sd_notify(3)). Node cannot send
 * datagrams to a Unix socket, so systemd's own program does.
 *
 * @returns once the message is sent; a failure is ignored, and systemd acts on the missing message
 */
export async function notifySystemd(...words: string[]): Promise<void> {
  if (!isUnderSystemd) return
  const child = spawn('systemd-notify', words, { stdio: 'ignore' })
  await new Promise<void>(resolve => {
    child.once('error', () => resolve())
    child.once('close', () => resolve())
  })
}
