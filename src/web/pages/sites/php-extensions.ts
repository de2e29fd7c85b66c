import { z } from 'zod'
import type { InstalledPhp } from '../../../model/server/host.ts'
import type { PhpLimits } from '../../../model/sites/php-limits.ts'
import { effectivePhp } from '../../../model/sites/php-limits.ts'
import type { PhpView } from '../../../model/sites/php-changes.ts'
import { phpExtension } from '../../../model/sites/php-settings.ts'
import { hidden, several } from '../../fields.ts'
import { t, type PlainKey } from '../../texts/texts.ts'

// The extensions of a website's PHP as boxes. The form also sends which it has shown and which of
// them are usually on, so that only those that differ are stored.

/** Extensions as they were shown, such as `gd=on`. */
const shownState = z
  .string()
  .regex(/^([a-z][a-z0-9_-]*=(on|off)(,|$))*$/, { error: () => t('sites.mustListExtensions') })
  .optional()

export const extensionFields = {
  extensions: several('sites.extensionsLabel', z.array(phpExtension).default([]), {
    inputs: ['php.extensions'],
    hint: 'sites.extensionsHint',
    isPlural: true,
  }),
  shown: hidden('sites.shownExtensions', shownState),
}

/** The purposes of extensions whose names do not show them. */
const purposes: Record<string, PlainKey> = {
  bcmath: 'sites.exactArithmetic',
  curl: 'sites.requestsOtherServers',
  gd: 'sites.purposeImages',
  imagick: 'sites.imagesImagemagick',
  intl: 'sites.languagesDates',
  mbstring: 'sites.textUtf8',
  mysqli: 'sites.mariadbWordpressUses',
  opcache: 'sites.compiledScriptsMemory',
  pdo_mysql: 'sites.mariadbPdo',
  pdo_sqlite: 'sites.sqlitePdo',
  soap: 'sites.soapServices',
  sqlite3: 'sites.purposeSqlite',
  xdebug: 'sites.debuggingSlow',
  xml: 'sites.purposeXml',
  zip: 'sites.zipArchives',
}

const labelOf = (name: string): string => {
  const purpose = purposes[name]
  return purpose === undefined ? name : t('sites.extensionFor', { name, purpose: t(purpose) })
}

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
