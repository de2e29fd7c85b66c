import { createRequire } from 'node:module'
import { domainToASCII, domainToUnicode } from 'node:url'
import { z } from 'zod'
import { hasHidden } from './characters.ts'
import { reservedUsernames } from './reserved-names.ts'

export { email } from './email.ts'

const load = createRequire(import.meta.url)

// The grammars of everything that reaches the machine or a rendered text. Each lists what it
// allows, which excludes white space, control characters, quotes and separators.

/**
 * A user name that every Linux accepts. A later release may reserve the name of an existing
 * account.
 */
export const userName = z
  .string()
  .regex(
    /^[a-z][a-z0-9_-]{0,30}[a-z0-9]$/,
    'must be 2 to 32 of a-z, 0-9, _ and -, from a letter to a letter or digit',
  )

/** The name of a new hosting account. */
export const username = userName.refine(name => !reservedUsernames.has(name), {
  error: 'is a reserved name',
  // The name is valid but refused with this code of src/errors.ts.
  params: { code: 'username_reserved' },
})

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const hostName = new RegExp(`^(?:${label}\\.)+${label}$`)

/** A host name of at least two labels in ASCII, lower case (RFC 1123, RFC 5890). */
export const domain = z
  .string()
  .max(253, 'must have at most 253 characters')
  .refine(name => !name.endsWith('.'), { error: 'must not end with a dot', abort: true })
  .refine(name => name === '' || name.includes('.'), {
    error: 'must have at least two labels, such as example.com',
    abort: true,
  })
  .regex(hostName, 'is not a domain name')
  // A last label that is a number makes it an IPv4 address (URL Standard, host parsing).
  .refine(name => !/\.(0x[0-9a-f]*|[0-9]+)$/.test(name), 'is not a domain name')

/**
 * A domain below which accounts may take names, as people write it: in any case or script, with or
 * without `www.`. Names in Unicode are stored in their ASCII form (UTS 46). Special-use names
 * cannot be visited (RFC 6761).
 */
export const sharedParent = z
  .string()
  .transform(name => toAscii(name).replace(/^www\./, ''))
  // `www.` must fit before it (RFC 1035, section 2.3.4).
  .refine(name => name.length <= 249, 'must have at most 249 characters')
  .pipe(domain)
  .refine(name => !name.includes('xn--') || isAceSound(name), 'has a broken xn-- label')
  .refine(name => !specialUse.test(name), 'is a special-use name, which cannot be visited')

/** A website's name as callers send it. Public suffixes cannot be hosted (publicsuffix.org). */
export const siteDomain = sharedParent.refine(name => !isPublicSuffix(name), {
  error: 'is a public suffix',
})

/** The name of a website in a search; a name that cannot be hosted finds nothing. */
export const servedName = z
  .string()
  .transform(name => toAscii(name))
  .pipe(domain)

// Returns whether every `xn--` label decodes; an invalid one stays the same in the Unicode form.
function isAceSound(name: string): boolean {
  const unicode = domainToUnicode(name)
  return !/(^|\.)xn--/.test(unicode) && toAscii(unicode) === name
}

// Loaded on first use: only processes that validate new names need the list, and it takes a lot of
// memory.
function isPublicSuffix(name: string): boolean {
  const { getPublicSuffix } = load('tldts') as typeof import('tldts')
  return getPublicSuffix(name, { allowPrivateDomains: true }) === name
}

const specialUse = /(^|\.)(localhost|local|arpa|onion|internal)$/

// Returns the ASCII form of a name. Anything but a host name is returned unchanged, to be refused:
// a URL parser would decode %41 and turn 1.2 into an address.
export function toAscii(name: string): string {
  const isHostName = /^[a-z0-9.\u0080-\u{10ffff}-]+$/iu.test(name)
  if (isHostName && /[^\0-\x7f]/.test(name)) return domainToASCII(name)
  return name.replace(/[A-Z]/g, letter => letter.toLowerCase())
}

/** sha512-crypt or yescrypt as `chpasswd -e` reads it (crypt(5)): one line, no colon. */
export const linuxPasswordHash = z
  .string()
  .max(200)
  .regex(/^\$(6|y)\$[./0-9A-Za-z$=]+$/, 'is not a password hash')

/** A package's name in its seller's catalogue. */
export const packageName = z
  .string()
  .regex(
    /^[A-Za-z0-9](?:[A-Za-z0-9 ._-]{0,62}[A-Za-z0-9])?$/,
    'must be 1 to 64 letters, digits, spaces, ., _ and -, a letter or digit at each end',
  )

/** A clear password: never stored, only in the memory of the process that received it. */
export const password = z
  .string()
  .min(8, 'must have at least 8 characters')
  .max(128, 'must have at most 128 characters')
  // Control characters, and lone surrogates, which have no UTF-8.
  .refine(text => !/[\p{Cc}\p{Cs}]/u.test(text), 'must not contain control characters')

// One line of free text, kept unchanged.
const line = (maxLength: number) =>
  z
    .string()
    .max(maxLength, `must have at most ${maxLength} characters`)
    .refine(text => !hasHidden(text), 'must not contain control or invisible characters')

/** A sentence for people: one line without invisible characters. */
export const note = line(500)

/**
 * A sentence as callers may send it: each run of white space with a line break or tab becomes one
 * space, and an empty text is left out.
 */
export const sentence = z.preprocess(
  sent => (typeof sent === 'string' ? inOneLine(sent) || null : sent),
  note.nullish(),
)

const inOneLine = (text: string): string =>
  text.replace(/[\s\u0085]+/g, run => (/[\t-\r\u0085\u2028\u2029]/.test(run) ? ' ' : run)).trim()

/** The seller's own name for an account, such as an order number. */
export const reference = line(128)

/** An e-mail address in a search; an invalid address finds nothing. */
export const anyEmail = line(254).min(1, 'must not be empty')

/**
 * An optional field that may also be null or an empty string: forms send an empty string for an
 * empty field.
 */
export const leftOut = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess(sent => (sent === '' ? null : sent), schema.nullish())

/** A whole number in a query, in digits only: +1, 01 and 1e2 are refused. */
export const queryNumber = (min: number, max: number, otherwise: number) =>
  z.preprocess(
    text => (/^(0|-?[1-9][0-9]*)$/.test(`${text}`) ? Number(text) : text),
    z
      .int({
        error: ({ code }) => (code === 'invalid_type' ? 'must be a whole number' : undefined),
      })
      .min(min)
      .max(max)
      .default(otherwise),
  )
