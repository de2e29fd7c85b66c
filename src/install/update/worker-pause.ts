import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { PanelError } from '../../errors.ts'
import { type Launched, launch, run, systemPath } from '../../host/tools/run.ts'

// systemd starts the API for whoever calls at its socket, also one that was stopped a moment ago.
// A unit that the API's comes after, and that is still being started, keeps it from that: who calls
// waits at the socket.

const api = 'panel-api.service'
const timeout = { timeoutMs: 60_000 }

let hold: Launched | undefined

/**
 * Stops the API and keeps it stopped until `letApiGo`, or until this process ends.
 *
 * @throws {PanelError} `failed`
 */
export async function holdApi(): Promise<void> {
  hold ??= await startHold()
  await run('systemctl', ['stop', '--', api], timeout)
}

async function startHold(): Promise<Launched> {
  const name = `--unit=panel-api-hold-${process.pid}.service`
  const properties = ['--property=Type=oneshot', `--property=Before=${api}`]
  const options = ['--quiet', '--collect', '--pipe', name, ...properties]
  // It ends with its input, and that with this process.
  const child = launch(['systemd-run', ...options, '--', 'cat'], { PATH: systemPath })
  const said = text(child.stderr)
  child.stdin.on('error', () => undefined).write('.')
  const isHeld = await Promise.race([
    once(child.stdout, 'data').then(() => true),
    once(child, 'close').then(() => false),
  ])
  if (isHeld) return child
  throw new PanelError('failed', `The API cannot be kept stopped: ${(await said).trim()}`)
}

/** Lets the API be started again; whoever has called meanwhile has it started at once. */
export async function letApiGo(): Promise<void> {
  const held = hold
  hold = undefined
  if (held === undefined || held.exitCode !== null) return
  const ended = once(held, 'close')
  held.stdin.end()
  await ended
}

/** Stops the API where it runs; for a unit that it comes after itself. */
export async function stopApi(): Promise<void> {
  const state = await run('systemctl', ['show', '--value', '-p', 'ActiveState', '--', api])
  // One that waits for this unit, as at the machine's start, is left to wait.
  if (/inactive|failed/.test(state)) return
  await run('systemctl', ['stop', '--', api], timeout)
}
