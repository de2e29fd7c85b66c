import { z } from 'zod'
import type { InstalledPhp } from '../../../model/server/host.ts'
import { effectivePhp, type PhpLimits } from '../../../model/sites/php-limits.ts'
import type { PhpChange, PhpView } from '../../../model/sites/php-changes.ts'
import { phpFields } from '../../../model/sites/php-settings.ts'
import { number, select, text } from '../../fields.ts'
import { t } from '../../texts/texts.ts'
import { extensionChange, extensionFields } from './php-extensions.ts'

// The fields of the form about a website's PHP. An empty one means the default.

type Name = keyof PhpChange

// A refusal names the field as the API does.
const called = (name: Name) => ({ inputs: [`php.${name}`] })

// PHP's own names of settings are the same in every language.
const setting = (name: string) => () => name

export const phpFormFields = {
  version: select('sites.versionLabel', phpFields.version.optional(), called('version')),
  memory_limit_mb: number(setting('memory_limit'), phpFields.memory_limit_mb.optional(), {
    ...called('memory_limit_mb'),
    unit: 'words.megabytes',
    hint: 'sites.memoryLimitMbHint',
  }),
  upload_max_mb: number(setting('upload_max_filesize'), phpFields.upload_max_mb.optional(), {
    ...called('upload_max_mb'),
    unit: 'words.megabytes',
  }),
  post_max_mb: number(setting('post_max_size'), phpFields.post_max_mb.optional(), {
    ...called('post_max_mb'),
    unit: 'words.megabytes',
    hint: 'sites.postMaxMbHint',
  }),
  max_execution_seconds: number(
    setting('max_execution_time'),
    phpFields.max_execution_seconds.optional(),
    {
      ...called('max_execution_seconds'),
      unit: 'words.secondsUnit',
    },
  ),
  max_input_vars: number(setting('max_input_vars'), phpFields.max_input_vars.optional(), {
    ...called('max_input_vars'),
  }),
  display_errors: select(setting('display_errors'), z.enum(['', 'on', 'off']).optional(), {
    ...called('display_errors'),
    hint: 'sites.displayErrorsHint',
  }),
  timezone: text(setting('date.timezone'), phpFields.timezone.optional(), {
    ...called('timezone'),
    example: 'Europe/Berlin',
  }),
  ...extensionFields,
}

export const displayOptions = () => [
  { value: '', label: t('sites.phpInstalled') },
  { value: 'off', label: t('sites.off') },
  { value: 'on', label: t('sites.on') },
]

type Allowed = Pick<PhpLimits, 'phpAllowed'>

/**
 * Returns the versions that a website can choose, the newest first: the installed ones that its
 * package allows, and the one that it has.
 */
export function versionOptions(
  { version: chosen }: Pick<PhpView, 'version'>,
  { versions, byDefault }: InstalledPhp,
  { phpAllowed }: Allowed,
) {
  const installed = versions.map(({ version }) => version)
  const isAllowed = (version: string) => phpAllowed.length === 0 || phpAllowed.includes(version)
  const all = [...new Set([...installed.filter(isAllowed), ...(chosen === null ? [] : [chosen])])]
  const labelOf = (version: string) => {
    if (!isAllowed(version)) return t('sites.versionPackageNoLonger', { version })
    // Before the first snapshot none is known.
    return installed.length === 0 || installed.includes(version)
      ? version
      : t('sites.versionNotInstalled', { version })
  }
  const newestFirst = all.sort((one, other) => other.localeCompare(one, 'en', { numeric: true }))
  return [
    { value: '', label: labelOfDefault({ versions, byDefault }, { phpAllowed }) },
    ...newestFirst.map(version => ({ value: version, label: labelOf(version) })),
  ]
}

function labelOfDefault({ versions, byDefault }: InstalledPhp, { phpAllowed }: Allowed): string {
  const installed = versions.map(({ version }) => version)
  const isOfPackage = phpAllowed.some(version => installed.includes(version))
  const limits = { installed, byDefault: byDefault ?? undefined }
  const version = effectivePhp({}, { phpAllowed }, limits)?.version ?? byDefault
  const whose = isOfPackage ? t('sites.packagesDefault') : t('sites.serversDefault')
  return version === null ? whose : `${whose} (${version})`
}

/** Returns the values of the form. */
export const phpValues = ({ extensions: _, display_errors: shows, ...php }: PhpView) => ({
  ...php,
  display_errors: shows === null ? '' : shows ? 'on' : 'off',
})

type Typed = {
  display_errors?: string | undefined
  extensions?: string[] | undefined
  shown?: string | undefined
} & {
  [Field in Exclude<Name, 'display_errors' | 'extensions'>]?: PhpChange[Field]
}

/** Returns the change that a form makes: an empty field restores its default. */
export const phpChange = ({ display_errors: shows = '', ...typed }: Typed): PhpChange => ({
  extensions: extensionChange(typed.extensions ?? [], typed.shown),
  version: typed.version ?? null,
  memory_limit_mb: typed.memory_limit_mb ?? null,
  upload_max_mb: typed.upload_max_mb ?? null,
  post_max_mb: typed.post_max_mb ?? null,
  max_execution_seconds: typed.max_execution_seconds ?? null,
  max_input_vars: typed.max_input_vars ?? null,
  display_errors: shows === '' ? null : shows === 'on',
  timezone: typed.timezone ?? null,
})
