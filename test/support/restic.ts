import { existsSync } from 'node:fs'

/** Why no backup of an account can be tested here, or false, for tap's `skip`. CI has restic. */
export const withoutRestic: string | false =
  process.env['CI'] === undefined && !existsSync('/usr/bin/restic')
    ? 'There is no restic (apt-get install restic)'
    : false
