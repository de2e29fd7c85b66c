import { allOf, PanelError } from '../../errors.ts'
import type { HostAccount } from '../accounts/host-account.ts'
import type { PhpChange, PhpView } from './php-changes.ts'
import { maxExtensions, ownPhp, type PhpSettings } from './php-settings.ts'

// Checks the PHP settings of websites against their package.

export type PhpLimits = Pick<
  HostAccount['limits'],
  'memoryMb' | 'phpAllowed' | 'phpExecutionSeconds' | 'phpExtensions'
>

/** The settings that a package limits. */
type Limited = Pick<
  PhpSettings,
  'version' | 'memory_limit_mb' | 'max_execution_seconds' | 'extensions'
>

type Excess = { field: keyof Limited; what: string; allowed: string }

/** Returns what exceeds the limits, and what they allow instead. */
function listExcess(settings: Limited, limits: PhpLimits): Excess[] {
  const { version, memory_limit_mb: memory = 0, max_execution_seconds: seconds = 0 } = settings
  const { memoryMb, phpAllowed, phpExecutionSeconds, phpExtensions } = limits
  const hasExtensions = Object.keys(settings.extensions ?? {}).length > 0
  const found: (Excess & { isExcess: boolean })[] = [
    {
      field: 'version',
      what: `PHP ${version}`,
      allowed: `PHP ${phpAllowed.join(', ')}`,
      isExcess: version !== undefined && phpAllowed.length > 0 && !phpAllowed.includes(version),
    },
    {
      field: 'memory_limit_mb',
      what: `${memory} MB of memory`,
      allowed: `${memoryMb} MB of memory`,
      isExcess: memory > memoryMb,
    },
    {
      field: 'max_execution_seconds',
      what: `requests of ${seconds} s`,
      allowed: `requests of ${phpExecutionSeconds} s`,
      isExcess: seconds > phpExecutionSeconds,
    },
    {
      field: 'extensions',
      what: 'its own extensions',
      allowed: 'no choice of extensions',
      isExcess: hasExtensions && !phpExtensions,
    },
  ]
  return found.filter(({ isExcess }) => isExcess)
}

/** Describes the settings of websites that exceed the limits; undefined if there are none. */
export function describeExcess(
  sites: readonly Pick<HostAccount['sites'][number], 'domain' | 'settings'>[],
  limits: PhpLimits,
): string | undefined {
  const found = sites.flatMap(({ domain, settings }) => {
    const what = listExcess(settings?.php ?? {}, limits).map(one => one.what)
    return what.length === 0 ? [] : [`${domain} (${what.join(', ')})`]
  })
  if (found.length === 0) return undefined
  return `Websites keep settings of PHP that the package does not allow: ${found.join(', ')}`
}

/**
 * Returns the PHP settings that a website has by its own choice and its package's; undefined if it
 * uses its account's PHP.
 */
export function effectivePhp(
  settings: PhpSettings | undefined,
  { phpAllowed }: Pick<PhpLimits, 'phpAllowed'>,
  { installed, byDefault }: { installed: readonly string[]; byDefault: string | undefined },
): PhpSettings | undefined {
  // Where none is installed, scripts go on running.
  const ofPackage = phpAllowed.find(version => installed.includes(version))
  const isOther = ofPackage !== undefined && ofPackage !== byDefault
  return ownPhp({ ...(isOther && { version: ofPackage }), ...settings })
}

type Named = { name: string } & PhpLimits

/**
 * Refuses PHP settings that do not fit the package. A setting that stays as it is may
 * exceed the package, which was changed since.
 *
 * @throws {PanelError} `invalid`
 */
export function refusePhp(change: PhpChange, before: PhpView, allowed: Named): void {
  const changed = <Name extends 'version' | 'memory_limit_mb' | 'max_execution_seconds'>(
    name: Name,
  ) => (change[name] === before[name] ? undefined : (change[name] ?? undefined))
  const extensions = Object.fromEntries(
    Object.entries(change.extensions ?? {}).filter(
      (one): one is [string, boolean] => one[1] !== null && before.extensions[one[0]] !== one[1],
    ),
  )
  const asked = {
    version: changed('version'),
    memory_limit_mb: changed('memory_limit_mb'),
    max_execution_seconds: changed('max_execution_seconds'),
    extensions,
  }
  const [first, ...others] = listExcess(asked, allowed).map(excess =>
    refusal(excess.field, `The package ${allowed.name} allows ${excess.allowed}`),
  )
  if (first) throw allOf([first, ...others])
}

export type MergedPhp = Pick<PhpView, 'post_max_mb' | 'upload_max_mb' | 'extensions'>

/**
 * Refuses PHP settings that do not fit each other.
 *
 * @throws {PanelError} `invalid`
 */
export function refuseTogether({ post_max_mb, upload_max_mb, extensions }: MergedPhp): void {
  const refused: PanelError[] = []
  if (post_max_mb < upload_max_mb) {
    const words =
      `post_max_mb (${post_max_mb}) must be at least ` +
      `upload_max_mb (${upload_max_mb}): an upload is part of a request`
    refused.push(refusal('post_max_mb', words))
  }
  if (Object.keys(extensions).length > maxExtensions) {
    const words = `A website can choose at most ${maxExtensions} extensions`
    refused.push(refusal('extensions', words))
  }
  const [first, ...others] = refused
  if (first) throw allOf([first, ...others])
}

const refusal = (field: keyof PhpChange, words: string): PanelError =>
  new PanelError('invalid', words, { field: `php.${field}` })
