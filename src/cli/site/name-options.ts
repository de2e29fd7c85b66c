import { Option } from 'clipanion'
import { z } from 'zod'
import { servedName, siteDomain } from '../../model/grammar/grammar.ts'
import type { AliasChange } from '../../model/sites/name-redirects.ts'
import type { SiteChange } from '../../model/sites/site-changes.ts'
import { nameTarget } from '../../model/sites/site-grammar.ts'
import { redirectCodes } from '../../model/sites/site-settings.ts'
import { wholeNumber } from '../words.ts'
import { PhpOptionsCommand, phpWords } from './php-options.ts'

// The options of a website's further names and of redirects of whole names.

// NAME=URL: no name contains an equals sign.
const nameRedirect = z
  .string()
  .regex(/^[^=]+=./, 'must be NAME=URL, such as old.example=https://example.com/')
  .transform(text => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)])
  .pipe(z.tuple([servedName, nameTarget]))

/** The schemas of these options and of those of PHP. */
export const nameWords = {
  ...phpWords,
  alias: z.array(siteDomain),
  remove_alias: z.array(siteDomain),
  name_redirect: z.array(nameRedirect),
  name_redirect_code: wholeNumber.pipe(z.literal(redirectCodes)).optional(),
  remove_name_redirect: z.array(servedName),
}

type Words = z.output<z.ZodObject<typeof nameWords>>

/** Returns the change of further names; undefined for none. */
export const aliasChangeOf = ({ alias, remove_alias }: Words): AliasChange | undefined =>
  alias.length + remove_alias.length === 0 ? undefined : { added: alias, removed: remove_alias }

/** Returns the change of redirects of names; undefined for none. */
export function nameRedirectsOf(
  { name_redirect: added, name_redirect_code: code = 301, remove_name_redirect: removed }: Words,
  dropsPath: boolean,
): SiteChange['name_redirects'] {
  if (added.length + removed.length === 0) return undefined
  return Object.fromEntries([
    ...removed.map(name => [name, null] as const),
    ...added.map(([name, to]) => [name, { to, code, keeps_path: !dropsPath }] as const),
  ])
}

export abstract class NameOptionsCommand extends PhpOptionsCommand {
  alias = Option.Array('--alias', [], {
    description: 'serve the website under this name too; can be repeated',
  })
  remove_alias = Option.Array('--remove-alias', [], {
    description: 'stop serving it under this name; can be repeated',
  })
  name_redirect = Option.Array('--name-redirect', [], {
    description: 'redirect one of its names to a URL, with the path; can be repeated',
  })
  name_redirect_code = Option.String('--name-redirect-code', {
    description: 'the status of these redirects: 301, 302, 307 or 308; by default 301',
  })
  drop_path = Option.Boolean('--drop-path', false, {
    description: 'redirect every path of these names to the URL itself',
  })
  remove_name_redirect = Option.Array('--remove-name-redirect', [], {
    description: 'stop redirecting this name; can be repeated',
  })
}
