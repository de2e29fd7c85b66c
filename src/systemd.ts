import { spawn } from 'node:child_process'
import { isUnderSystemd } from './config.ts'

/**
 * Tells systemd, where it has started this process with `Type=notify` (sd_notify(3)). Node can't
 * send datagrams to a Unix socket, so systemd's own program does.
 *
 * @returns once it is told; what can't be told is left, and systemd judges by what it does not hear
 */
export async function notifySystemd(...words: string[]): Promise<void> {
  if (!isUnderSystemd) return
  const child = spawn('systemd-notify', words, { stdio: 'ignore' })
  await new Promise<void>(resolve => {
    child.once('error', () => resolve())
    child.once('close', () => resolve())
  })
}
