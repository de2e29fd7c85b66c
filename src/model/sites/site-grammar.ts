import { z } from 'zod'
import { hasHidden } from '../grammar/characters.ts'

// The grammars of paths and addresses in the settings of websites. Their values become names of
// folders below a website's own, at which nginx finds them.

const maxName = 200

// Redirects and protected folders have a folder for each name.
const maxDepth = 16

const namesIn = (path: string): string[] => path.split('/').filter(name => name !== '')

// A name that begins with = would be one of the panel's.
const isPlain = (name: string): boolean =>
  name !== '.' && name !== '..' && !name.startsWith('=') && Buffer.byteLength(name) <= maxName

const path = z
  .string()
  .max(500, 'must have at most 500 characters')
  .refine(text => !hasHidden(text), { error: 'must not contain invisible characters', abort: true })
  .refine(text => !text.includes('//'), { error: 'must not contain //', abort: true })
  .refine(text => namesIn(text).every(isPlain), {
    error: `must consist of names of at most ${maxName} bytes, none . or .. or beginning with =`,
  })

const absolute = path
  .refine(text => text.startsWith('/'), { error: 'must begin with /', abort: true })
  .refine(text => namesIn(text).length <= maxDepth, {
    error: `must have at most ${maxDepth} names between slashes`,
  })

const withoutEnd = (text: string): string => (text === '/' ? text : text.replace(/\/$/, ''))

/** A folder below a website's own, such as `public` or `current/public`. */
export const documentRoot = path
  .refine(text => text !== '' && !text.startsWith('/'), {
    error: 'must be a folder below the website’s own, such as current/public',
    abort: true,
  })
  .transform(text => text.replace(/\/$/, ''))
  .refine(
    text =>
      /^[A-Za-z0-9_.@+-][A-Za-z0-9_.@+ -]*(\/[A-Za-z0-9_.@+-][A-Za-z0-9_.@+ -]*)*$/.test(text),
    {
      error: 'must consist of A-Z, a-z, 0-9, spaces and . _ @ + - between slashes',
    },
  )

/** The path of a redirect, decoded, as `/old page`. */
export const redirectSource = absolute
  .refine(text => !/[?#]/.test(text), {
    error: 'must be a path without a query or a fragment',
    abort: true,
  })
  .refine(text => !/^\/\.well-known\/acme-challenge(\/|$)/.test(text), {
    error: 'is needed for certificates',
  })
  .transform(withoutEnd)

/** A folder that asks for a password: `/` is the whole website. */
export const protectedPath = absolute
  .refine(text => !/[:|]/.test(text), { error: 'must not contain : or |' })
  .transform(withoutEnd)

const maxPaths = 20

// With the longest policy (content-policy.ts) they are one path, and Linux allows 4,095 bytes.
const maxPathBytes = 1_800

/** All folders that ask for a password. */
export const protectedPaths = z
  .array(protectedPath)
  .max(maxPaths, `must be at most ${maxPaths} folders`)
  .refine(paths => Buffer.byteLength(paths.join(':')) <= maxPathBytes, {
    error: `must have at most ${maxPathBytes} bytes together`,
  })

const maxLastPart = 240

/**
 * The target of a redirect: an address of http or https, or a path on the same website. It is
 * stored as browsers send it (URL Standard); slashes in its query and fragment are encoded.
 */
export const redirectTarget = z
  .string()
  .max(1_000, 'must have at most 1000 characters')
  .refine(text => !hasHidden(text), { error: 'must not contain invisible characters', abort: true })
  .transform((text, context) => {
    const isPath = /^\/(?!\/)/.test(text)
    const url = URL.parse(text, isPath ? 'http://path.invalid' : undefined)
    const refuse = (error: string) => {
      context.addIssue({ code: 'custom', message: error })
      return z.NEVER
    }
    if (
      url === null ||
      !/^https?:$/.test(url.protocol) ||
      (isPath && url.host !== 'path.invalid')
    ) {
      return refuse('must be an address such as https://example.com/ or a path such as /new')
    }
    if (url.username !== '' || url.password !== '') return refuse('must not contain a password')
    if (url.pathname.includes('//')) return refuse('must not contain // in its path')
    if (namesIn(url.pathname).length > maxDepth) {
      return refuse(`must have at most ${maxDepth} names between slashes in its path`)
    }
    const rest = `${url.search}${url.hash}`.replaceAll('/', '%2F')
    const whole = `${isPath ? '' : url.origin}${url.pathname}${rest}`
    if (!/^[!-~]+$/.test(whole)) return refuse('is not an address')
    const parts = `${url.host}${url.pathname}${rest}`.split('/')
    return parts.some(part => part.length > maxLastPart)
      ? refuse(`must have at most ${maxLastPart} characters between slashes and after the last one`)
      : whole
  })

/** The target of a whole name: an address, to which the visitor's path may be added. */
export const nameTarget = z
  .string()
  .refine(text => !text.startsWith('/'), {
    error: 'must be an address such as https://example.com/',
    abort: true,
  })
  .pipe(redirectTarget)
