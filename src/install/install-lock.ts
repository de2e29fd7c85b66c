import { PanelError } from '../errors.ts'
import { takePidLock } from '../pid-lock.ts'

/** Outside the panel's own folders, which may be removed meanwhile. */
export const lockFile = '/run/panel-install.lock'

/**
 * Prevents any other install or uninstall until this process ends.
 *
 * @throws {PanelError} `busy`
 */
export function claimInstallation(): void {
  const other = takePidLock(lockFile)
  if (other === undefined) return
  throw new PanelError('busy', `Process ${other} is already installing or uninstalling the panel`)
}
