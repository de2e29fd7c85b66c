import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { inherited } from '../processes.ts'
import { eventually } from '../scratch.ts'

const bin = join(import.meta.dirname, '../../../bin/panel')

export type Started = {
  child: ChildProcess
  stdout: () => string
  stderr: () => string
  /** Resolves once it reports that it is ready, with the time it took. */
  ready: () => Promise<number>
  /** Sends a signal and resolves with the exit code and the time it took. */
  stop: (signal: NodeJS.Signals) => Promise<{ code: number | null; ms: number }>
}

/** A real `panel start` on a state directory, on a port of its own. */
export function start(t: Test, stateDir: string, environment = {}): Started {
  const begunAt = Date.now()
  const child = spawn(process.execPath, [bin, 'start'], {
    cwd: '/',
    env: {
      ...inherited,
      PANEL_STATE_DIR: stateDir,
      PANEL_LISTEN: '127.0.0.1:0',
      ...environment,
    },
  })
  t.teardown(() => child.kill('SIGKILL'))
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', text => (output.stdout += text))
  child.stderr.on('data', text => (output.stderr += text))
  return {
    child,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    async ready() {
      await eventually(`it is ready: ${output.stderr}`, () => {
        if (child.exitCode !== null) throw new Error(`it ended: ${output.stderr}`)
        return output.stdout.includes('The panel is ready')
      })
      return Date.now() - begunAt
    },
    async stop(signal) {
      const askedAt = Date.now()
      child.kill(signal)
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      return { code: child.exitCode, ms: Date.now() - askedAt }
    },
  }
}

/** The processes that name a state directory in their command line or their environment. */
export function processesOf(stateDir: string): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter(pid => ['cmdline', 'environ'].some(file => mentions(`/proc/${pid}/${file}`, stateDir)))
    .map(Number)
}

function mentions(file: string, text: string): boolean {
  try {
    return existsSync(file) && readFileSync(file, 'utf8').includes(text)
  } catch {
    return false
  }
}
