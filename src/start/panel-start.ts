import type { Config } from '../config.ts'
import { connect, connection } from '../db.ts'
import { PanelError } from '../errors.ts'
import { migrate } from '../migrate.ts'
import { closeWhereAllowed } from '../model/server/lock-functions.ts'
import { refuseUnfinishedRestore } from '../unfinished-restore.ts'
import { announcement } from './announcement.ts'
import { runDatabase } from './database.ts'
import { ensureFirstStart } from './first-start.ts'
import { withPort } from './port.ts'
import { untilReady } from './readiness.ts'
import { ensureServerKey } from './server-key.ts'
import { runServices } from './process-list.ts'
import { claimStateDir, ensureStateDir } from './state-dir.ts'
import { aborted, listenForStop, type StopSignals, unlessStopped } from './stop-signals.ts'

/** Prints a start's results, and reports later events. */
export type Terminal = { print: (text: string) => void; report: (sentence: string) => void }

/**
 * Runs the whole panel in one process tree and returns when it has been asked to stop and
 * everything has ended.
 *
 * @throws {PanelError} when it cannot start; nothing is left running then
 */
export async function panelStart(given: Config, terminal: Terminal): Promise<void> {
  using signals = listenForStop()
  const stateDir = ensureStateDir(given.stateDir)
  claimStateDir(stateDir)
  refuseUnfinishedRestore(stateDir)
  const config = await withPort({ ...given, stateDir })
  try {
    await runUntilStopped(config, terminal, signals)
  } catch (error) {
    // The signal may have made the step in progress fail.
    if (!signals.stop.aborted) throw error
  }
}

// Ends in the reverse order of the start, however far it has come.
async function runUntilStopped(config: Config, terminal: Terminal, signals: StopSignals) {
  await using running = new AsyncDisposableStack()
  const url = config.databaseUrl ?? (await embedded(config, terminal, signals, running))
  signals.stop.throwIfAborted()
  await unlessStopped(prepare(url).catch(unusable), signals.stop)
  await ensureServerKey(config.keyFile)
  const first = await ensureFirstStart(url, config)
  signals.stop.throwIfAborted()

  const services = runServices({ ...config, databaseUrl: url }, terminal.report)
  running.defer(services.stop)
  signals.hurry.addEventListener('abort', services.kill)
  await untilReady(config, signals.stop)
  terminal.print(announcement(config, first))
  await aborted(signals.stop)
  terminal.report('stopping')
}

async function prepare(url: string): Promise<void> {
  await migrate(url)
  await using client = await connect(connection(url, 'panel_owner', null))
  await closeWhereAllowed(client)
}

function unusable(error: Error): never {
  throw new PanelError('unavailable', `The database cannot be used: ${error.message}`, {
    cause: error,
  })
}

async function embedded(
  config: Config,
  { report }: Terminal,
  signals: StopSignals,
  running: AsyncDisposableStack,
): Promise<string> {
  const database = await unlessStopped(runDatabase(config.stateDir, report), signals.stop)
  running.defer(database.stop)
  signals.hurry.addEventListener('abort', database.kill)
  return database.url
}
