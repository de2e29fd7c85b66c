import type { PhpLimits } from '../../../src/model/sites/php-limits.ts'

/** The limits of PHP that a new package has. */
export const phpLimits: Omit<PhpLimits, 'memoryMb'> = {
  phpAllowed: [],
  phpExecutionSeconds: 300,
  phpExtensions: true,
}
