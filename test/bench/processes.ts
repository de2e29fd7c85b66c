import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { nodeOptions } from '../../src/start/process-list.ts'

const root = join(import.meta.dirname, '../..')

/** A process that runs a program of the panel or of the floor. */
export type Program = AsyncDisposable & { pid: number; port: number }

type Line = { level?: string; message?: string; address?: { port: number } }

/**
 * Starts a program and returns once it has written the line `{"message":"… ready"}`, with the
 * port in it if it listens.
 *
 * @param file below the checkout
 */
export async function start(
  file: string,
  given: { args?: string[]; env?: Record<string, string> },
): Promise<Program> {
  // As `panel start` and the units do it.
  const options = file.startsWith('bin/') ? nodeOptions : []
  const child = spawn(
    process.execPath,
    [...process.execArgv, ...options, join(root, file), ...(given.args ?? [])],
    {
      env: given.env ?? {},
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const exited = once(child, 'exit')
  const killed = () => child.kill('SIGKILL')
  process.on('exit', killed)
  const ready = Promise.withResolvers<Line>()
  createInterface(child.stdout).on('line', text => {
    const line = JSON.parse(text) as Line
    if (line.message?.endsWith(' ready')) ready.resolve(line)
    else if (line.level === 'error') process.stderr.write(`${text}\n`)
  })
  void exited.then(([code]) => ready.reject(new Error(`${file} ended with ${code}`)))
  const { address } = await ready.promise
  return {
    pid: child.pid ?? 0,
    port: address?.port ?? 0,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await exited
      process.off('exit', killed)
    },
  }
}
