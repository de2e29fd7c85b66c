import { PanelError } from '../../errors.ts'
import { refuseNameRedirects, servedNames, type Names } from './name-redirects.ts'
import { refusePathLoops } from './path-redirects.ts'
import { refuseTogether, type MergedPhp } from './php-limits.ts'
import { haveTooManyFolders, tooManyFolders } from './redirect-folders.ts'
import { maxRedirects, maxUsers } from './site-settings.ts'

// Rules for what a website has after a change is merged into its settings. The request is decided
// with the settings of its time. The worker checks again with those at its start: changes that were
// decided at the same moment may break a rule together.

/** The settings after a change, as answers show them. */
export type Merged = Names & {
  redirects: Readonly<Record<string, { to: string; code: number }>>
  users: readonly string[]
  php: MergedPhp
}

/**
 * Refuses a change whose result breaks a rule.
 *
 * @param changed the names of the changed settings; rules of others are not checked
 * @throws {PanelError} `invalid`
 */
export function refuseMerged(after: Merged, changed: readonly string[]): void {
  const { redirects, users, php } = after
  if (changed.includes('redirects')) {
    if (Object.keys(redirects).length > maxRedirects) throw tooMany('redirects', maxRedirects)
    if (haveTooManyFolders(redirects)) {
      throw new PanelError('invalid', `redirects: ${tooManyFolders}`, { field: 'redirects' })
    }
    refusePathLoops(redirects, new Set(servedNames(after)))
  }
  if (changed.includes('users') && users.length > maxUsers) throw tooMany('users', maxUsers)
  if (changed.includes('php')) refuseTogether(php)
  // Any of these can close a loop with a redirect that was there before.
  const ofNames = (['name_redirects', 'aliases', 'www'] as const).find(one => changed.includes(one))
  if (ofNames !== undefined) refuseNameRedirects(after, ofNames)
}

export const tooMany = (field: 'users' | 'redirects', max: number): PanelError =>
  new PanelError('invalid', `A website can have at most ${max} ${field}`, { field })
