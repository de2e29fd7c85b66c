import { z } from 'zod'
import type { InstalledPhp } from '../../../model/server/host.ts'
import type { PhpLimits } from '../../../model/sites/php-limits.ts'
import { effectivePhp } from '../../../model/sites/php-limits.ts'
import type { PhpView } from '../../../model/sites/php-changes.ts'
import { phpExtension } from '../../../model/sites/php-settings.ts'
import { hidden, several } from '../../fields.ts'

// The extensions of a website's PHP as boxes. The form also sends which it has shown and which of
// them are usually on, so that only those that differ are stored.

/** Extensions as they were shown, such as `gd=on`. */
const shownState = z
  .string()
  .regex(/^([a-z][a-z0-9_-]*=(on|off)(,|$))*$/, 'must be a list of extensions')
  .optional()

export const extensionFields = {
  extensions: several('Extensions', z.array(phpExtension).default([]), {
    inputs: ['php.extensions'],
    hint: 'Those that are installed for the version. Adminer and other websites have their own.',
    isPlural: true,
  }),
  shown: hidden('Shown extensions', shownState),
}

/** The purposes of extensions whose names do not show them. */
const purposes: Record<string, string> = {
  bcmath: 'exact arithmetic',
  curl: 'requests to other servers',
  gd: 'images',
  imagick: 'images by ImageMagick',
  intl: 'languages and dates',
  mbstring: 'text in UTF-8',
  mysqli: 'MariaDB, as WordPress uses it',
  opcache: 'compiled scripts in memory',
  pdo_mysql: 'MariaDB by PDO',
  pdo_sqlite: 'SQLite by PDO',
  soap: 'SOAP services',
  sqlite3: 'SQLite',
  xdebug: 'debugging, slow',
  xml: 'XML',
  zip: 'zip archives',
}

const labelOf = (name: string): string =>
  purposes[name] === undefined ? name : `${name} (${purposes[name]})`

/** Returns the values and options of the fields for the version that a website runs. */
export function extensionsOf(
  php: PhpView,
  { versions, byDefault }: InstalledPhp,
  limits: Pick<PhpLimits, 'phpAllowed'>,
) {
  const installed = versions.map(({ version }) => version)
  const chosen = php.version === null ? {} : { version: php.version }
  const found = effectivePhp(chosen, limits, { installed, byDefault: byDefault ?? undefined })
  const version = found?.version ?? byDefault
  const extensions = versions.find(one => one.version === version)?.extensions ?? []
  const on = extensions.filter(({ name, isOn }) => php.extensions[name] ?? isOn)
  return {
    values: {
      extensions: on.map(({ name }) => name).join(),
      shown: extensions.map(({ name, isOn }) => `${name}=${isOn ? 'on' : 'off'}`).join(),
    },
    options: extensions.map(({ name }) => ({ value: name, label: labelOf(name) })),
  }
}

/** Returns the change of the shown extensions: null for one that is as usual, or for all. */
export const extensionChange = (
  ticked: readonly string[],
  shown: string | undefined,
): Record<string, boolean | null> | null | undefined => {
  // The worker has not taken a snapshot yet.
  if (shown === undefined) return undefined
  const states = shown.split(',').map(one => one.split('=') as [string, string])
  const changes = Object.fromEntries(
    states.map(([name, state]) => {
      const isOn = ticked.includes(name)
      return [name, isOn === (state === 'on') ? null : isOn]
    }),
  )
  return Object.values(changes).every(one => one === null) ? null : changes
}
