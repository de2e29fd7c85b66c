import { PanelError } from '../errors.ts'
import { takePidLock } from '../pid-lock.ts'

/** Outside the panel's own folders, which come and go meanwhile. */
export const lockFile = '/run/panel-install.lock'

/**
 * Keeps all others from installing and uninstalling until this process ends.
 *
 * @throws {PanelError} `busy`
 */
export function claimInstallation(): void {
  const other = takePidLock(lockFile)
  if (other === undefined) return
  throw new PanelError('busy', `Process ${other} is already installing or uninstalling the panel`)
}
