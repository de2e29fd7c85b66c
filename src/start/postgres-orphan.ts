import { readFile, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PanelError } from '../errors.ts'

// The ways to stop a server, and the time that each may take before the next: fast (disconnect all
// clients, write a checkpoint), immediate (the next start recovers from the log), and a kill.
const steps: [NodeJS.Signals, number][] = [
  ['SIGINT', 8_000],
  ['SIGQUIT', 4_000],
  ['SIGKILL', 4_000],
]
const pollMs = 5

/**
 * Stops a server that an earlier `panel start` left running on this data directory, and removes its
 * pid file. The id in that file may belong to another process by now.
 */
export async function stopOrphan(dataDir: string): Promise<void> {
  const pidFile = join(dataDir, 'postmaster.pid')
  const pid = await postmasterPid(pidFile)
  if (pid === undefined) return
  for (const [signal, timeoutMs] of steps) {
    if (!(await isServerOf(pid, dataDir))) break
    process.kill(pid, signal)
    await waitUntilGone(pid, dataDir, timeoutMs)
  }
  if (await isServerOf(pid, dataDir)) {
    throw new PanelError(
      'unavailable',
      `The PostgreSQL of an earlier start (process ${pid}) did not stop`,
    )
  }
  await rm(pidFile, { force: true })
}

async function postmasterPid(pidFile: string): Promise<number | undefined> {
  const content = await readFile(pidFile, 'utf8').catch(() => '')
  const pid = Number.parseInt(content, 10)
  return pid > 1 ? pid : undefined
}

// Checked by the command line, which can be read for another user's process too.
async function isServerOf(pid: number, dataDir: string): Promise<boolean> {
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  const [program, ...words] = commandLine.split('\0')
  return basename(program ?? '') === 'postgres' && words.includes(dataDir)
}

async function waitUntilGone(pid: number, dataDir: string, timeoutMs: number): Promise<void> {
  const end = Date.now() + timeoutMs
  while (Date.now() < end && (await isServerOf(pid, dataDir))) await sleep(pollMs)
}
