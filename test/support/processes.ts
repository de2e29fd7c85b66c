import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Test } from 'tap'
import { nodeOptions } from '../../src/start/process-list.ts'

/** The environment that processes inherit: with the cache they start in half the time. */
export const inherited = {
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
}

/** A process of the panel, killed with its test if it has not ended. */
export type Child = { child: ChildProcess; exited: Promise<unknown>; kill: () => Promise<void> }

/** Options for a program of test/support/programs, which says so once it has started. */
export const untilStarted = { ready: /started/ }

/** Starts a TypeScript file as a process and returns once it has printed `ready`. */
export async function startProcess(
  t: Test,
  file: string,
  args: string[],
  options: {
    ready: RegExp
    environment?: Record<string, string>
    onOutput?: (text: string) => void
    /** Called with the process before it is ready; a caller that uses this ends it too. */
    onSpawn?: (child: ChildProcess) => void
  },
): Promise<Child> {
  // As `panel start` and the units do it.
  const own = file.startsWith('bin/') ? nodeOptions : []
  const child = spawn(
    process.execPath,
    [...own, join(import.meta.dirname, '../..', file), ...args],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...inherited, ...options.environment },
    },
  )
  options.onSpawn?.(child)
  const exited = once(child, 'exit')
  const kill = async () => {
    child.kill('SIGKILL')
    await exited
  }
  if (options.onSpawn === undefined) t.teardown(kill)
  await new Promise<void>((resolve, reject) => {
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      options.onOutput?.(chunk.toString())
      if (options.ready.test(output)) resolve()
    })
    void exited.then(() => reject(new Error(`${file} ended: ${output}`)))
  })
  return { child, exited, kill }
}
