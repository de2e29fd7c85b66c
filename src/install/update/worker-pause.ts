import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { PanelError } from '../../errors.ts'
import { type Launched, launch, run, systemPath } from '../../host/tools/run.ts'

// Keeps the API stopped. systemd starts the API whenever a caller connects to its socket, even just
// after a stop. A unit that the API's is ordered after, and that is still starting, prevents that:
// callers wait at the socket.

const api = 'panel-api.service'
const timeout = { timeoutMs: 60_000 }

let blocker: Launched | undefined

/**
 * Stops the API and keeps it stopped until `letApiStart`, or until this process ends.
 *
 * @throws {PanelError} `failed`
 */
export async function keepApiStopped(): Promise<void> {
  blocker ??= await startBlocker()
  await run('systemctl', ['stop', '--', api], timeout)
}

async function startBlocker(): Promise<Launched> {
  const name = `--unit=panel-api-hold-${process.pid}.service`
  const properties = ['--property=Type=oneshot', `--property=Before=${api}`]
  const options = ['--quiet', '--collect', '--pipe', name, ...properties]
  // It ends with its input, and that with this process.
  const child = launch(['systemd-run', ...options, '--', 'cat'], { PATH: systemPath })
  const output = text(child.stderr)
  child.stdin.on('error', () => undefined).write('.')
  const isStarted = await Promise.race([
    once(child.stdout, 'data').then(() => true),
    once(child, 'close').then(() => false),
  ])
  if (isStarted) return child
  throw new PanelError('failed', `The API cannot be kept stopped: ${(await output).trim()}`)
}

/** Lets the API start again; a waiting caller starts it at once. */
export async function letApiStart(): Promise<void> {
  const running = blocker
  blocker = undefined
  if (running === undefined || running.exitCode !== null) return
  const ended = once(running, 'close')
  running.stdin.end()
  await ended
}

/** Stops the API if it runs; for a unit that the API's is ordered after. */
export async function stopApi(): Promise<void> {
  const state = await run('systemctl', ['show', '--value', '-p', 'ActiveState', '--', api])
  // A worker that waits for this unit, as at the machine's start, keeps waiting.
  if (/inactive|failed/.test(state)) return
  await run('systemctl', ['stop', '--', api], timeout)
}
