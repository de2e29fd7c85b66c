import { PanelError } from '../../errors.ts'
import { CommandError, run } from '../../host/tools/run.ts'
import { services } from '../units.ts'
import { letApiStart } from './worker-pause.ts'

/**
 * Restarts services of the panel.
 *
 * @param options of systemctl
 *
 * @throws {PanelError} `failed`, with the last output of systemd and of the failed services
 */
export async function restart(
  names: readonly string[] = services,
  options: readonly string[] = [],
): Promise<void> {
  if (names.includes('panel-api')) await letApiStart()
  const units = names.map(name => `${name}.service`)
  try {
    await run('systemctl', ['restart', ...options, '--', ...units], { timeoutMs: 120_000 })
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    const reading = ['--lines=5', '--output=cat', '--quiet', ...units.map(unit => `--unit=${unit}`)]
    const output = await run('journalctl', reading).catch(() => '')
    throw new PanelError('failed', `${error.message}\n${output.trim()}`, { cause: error })
  }
}
