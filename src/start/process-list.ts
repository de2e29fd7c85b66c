import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Config, environmentOf, installationDir } from '../config.ts'
import { type Service, supervise } from './supervise.ts'

// A request that waits for its job needs the worker, so the API is asked to stop first and gets a
// head start. Processes that have not ended in time are killed, and the next start resumes their
// work.
const headStartMs = 3_500
const timeoutMs = 7_500

// Resolving a name blocks a thread until its DNS answers. With Node's four threads a few dead
// receivers would block all others.
export const threads = { UV_THREADPOOL_SIZE: '64' }

// While a process loads its code, V8 lets its young generation grow to 16 MiB, and never shrinks it
// again if there is little to do. It compiles and collects in four threads, which compete with the
// panel's other processes: with one thread, a suspend is a tenth faster. The units in systemd/ have
// the same options.
export const nodeOptions = ['--max-semi-space-size=4', '--v8-pool-size=1']

export type Services = { stop(): Promise<void>; kill(): void }

/** Starts the API, the worker and the courier. */
export function runServices(config: Config, report: (sentence: string) => void): Services {
  const run = (name: string, more: NodeJS.ProcessEnv = {}): Service =>
    supervise({
      name,
      command: [process.execPath, ...nodeOptions, join(installationDir, 'bin', `panel-${name}.ts`)],
      environment: { ...environmentOf(config), ...more },
      logFile: join(config.stateDir, 'log', `${name}.log`),
      report,
    })
  const [worker, courier, api] = [run('worker'), run('courier', threads), run('api')]

  return {
    async stop() {
      const begunAt = Date.now()
      const apiStopped = api.stop(timeoutMs)
      await Promise.race([apiStopped, sleep(headStartMs, undefined, { ref: false })])
      const leftMs = timeoutMs - (Date.now() - begunAt)
      await Promise.all([apiStopped, worker.stop(leftMs), courier.stop(leftMs)])
    },
    kill() {
      for (const service of [api, worker, courier]) service.kill()
    },
  }
}
