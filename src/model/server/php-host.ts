import type { PhpLimits } from '../sites/php-limits.ts'
import type { PhpSettings } from '../sites/php-settings.ts'

/** The part of the machine that the worker uses for versions of PHP. */
export type PhpHost = {
  /**
   * Has accounts run this version of PHP by default, or the newest; may run twice.
   *
   * @throws {PanelError} `invalid`, if it is not installed
   */
  choosePhp: (version: string | null) => Promise<void>
  /**
   * Refuses the PHP settings of a website that this machine cannot have.
   *
   * @throws {PanelError} `invalid`
   */
  refusePhp: (settings: PhpSettings, limits: PhpLimits) => void
  /** Records that version for the next `ensureShared`. */
  notePhp: (version: string | null) => void
}
