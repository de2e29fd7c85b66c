import { Option } from 'clipanion'
import { z } from 'zod'
import type { PhpChange } from '../../model/sites/php-changes.ts'
import { phpExtension, phpFields } from '../../model/sites/php-settings.ts'
import { completing } from '../completion/completers.ts'
import { wholeNumber, yesOrNo } from '../words.ts'
import { SiteCommand } from './site-command.ts'

// The options of PHP settings; the word `default` restores a default.

const standard = 'default'

const orDefault = <Schema extends z.ZodType>(schema: Schema) =>
  z.union([z.literal(standard).transform(() => null), schema]).optional()

const [on, off] = ['on', 'off']

// NAME=on, NAME=off or NAME=default.
const extension = z
  .string()
  .regex(/^[^=]+=(on|off|default)$/, 'must be NAME=on, NAME=off or NAME=default')
  .transform((text): [string, boolean | null] => {
    const [name = '', state] = text.split('=')
    return [name, state === standard ? null : state === on]
  })
  .pipe(z.tuple([phpExtension, z.boolean().nullable()]))

/** The schemas of the options. */
export const phpWords = {
  php_version: orDefault(phpFields.version),
  php_memory: orDefault(wholeNumber.pipe(phpFields.memory_limit_mb)),
  php_upload: orDefault(wholeNumber.pipe(phpFields.upload_max_mb)),
  php_post: orDefault(wholeNumber.pipe(phpFields.post_max_mb)),
  php_execution: orDefault(wholeNumber.pipe(phpFields.max_execution_seconds)),
  php_input_vars: orDefault(wholeNumber.pipe(phpFields.max_input_vars)),
  php_display_errors: orDefault(yesOrNo),
  php_timezone: orDefault(phpFields.timezone),
  php_extension: z.array(extension),
}

const Words = z.object(phpWords)

/** Returns the change that the options ask for; null for all defaults. */
export function phpChangeOf(
  words: z.output<typeof Words>,
  isReset: boolean,
): PhpChange | null | undefined {
  if (isReset) return null
  const change: PhpChange = {
    version: words.php_version,
    memory_limit_mb: words.php_memory,
    upload_max_mb: words.php_upload,
    post_max_mb: words.php_post,
    max_execution_seconds: words.php_execution,
    max_input_vars: words.php_input_vars,
    display_errors: words.php_display_errors,
    timezone: words.php_timezone,
    ...(words.php_extension.length > 0 && {
      extensions: Object.fromEntries(words.php_extension),
    }),
  }
  const given = Object.entries(change).filter(([, value]) => value !== undefined)
  return given.length === 0 ? undefined : Object.fromEntries(given)
}

/** A command with the options of PHP settings. */
export abstract class PhpOptionsCommand extends SiteCommand {
  php_version = Option.String('--php-version', {
    description: 'the version of PHP, such as 8.2; panel php ls lists them',
  })
  php_memory = Option.String('--php-memory', { description: 'memory_limit in MB' })
  php_upload = Option.String('--php-upload', { description: 'upload_max_filesize in MB' })
  php_post = Option.String('--php-post', { description: 'post_max_size in MB' })
  php_execution = Option.String('--php-execution', {
    description: 'max_execution_time in seconds',
  })
  php_input_vars = Option.String('--php-input-vars', { description: 'max_input_vars' })
  php_display_errors = completing(
    ['yes', 'no', standard],
    Option.String('--php-display-errors', {
      description: 'whether visitors see errors of scripts: yes, no or default',
    }),
  )
  php_timezone = Option.String('--php-timezone', {
    description: 'the time zone, such as Europe/Berlin',
  })
  php_extension = Option.Array('--php-extension', [], {
    description: `an extension, as NAME=${on}, NAME=${off} or NAME=${standard}; can be repeated`,
  })
  php_reset = Option.Boolean('--php-reset', false, {
    description: 'restore the defaults of all PHP settings',
  })
}
