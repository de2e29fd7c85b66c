import { Resolver } from 'node:dns'
import { isAbsolute } from 'node:path'
import { z } from 'zod'
import { cidr } from './model/grammar/cidr.ts'

// The values that settings may have.

export const listen = z
  .string()
  .regex(
    /^(\[[0-9a-f:]+\]|[0-9a-z.-]+):[0-9]{1,5}$/i,
    'must be an address and port, such as 127.0.0.1:8080',
  )
  .transform(text => {
    const colon = text.lastIndexOf(':')
    return {
      host: text.slice(0, colon).replace(/^\[|\]$/g, ''),
      port: Number(text.slice(colon + 1)),
    }
  })
  .refine(({ port }) => port <= 65_535, 'must have a port of at most 65535')

export const absolutePath = z
  .string()
  .refine(isAbsolute, 'must be an absolute path')
  .refine(path => !/\p{Cc}/u.test(path), 'must not have control characters')

// The kernel's limit for the path of a Unix socket (unix(7)).
export const socketPath = absolutePath.refine(
  path => Buffer.byteLength(path) <= 107,
  'must not have more than 107 bytes',
)

export const proxies = z.string().transform((text, context) => {
  const ranges = z.array(cidr).safeParse(text.split(/[\s,]+/))
  // A /0 range would trust every caller's own X-Forwarded-For.
  if (ranges.success && !ranges.data.some(range => range.endsWith('/0'))) return ranges.data
  context.addIssue({ code: 'custom', message: 'must be a list such as 192.0.2.1, 2001:db8::/32' })
  return z.NEVER
})

export const baseUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address' })
  .transform(url => url.replace(/\/+$/, ''))

/** The address where releases are published: downloads are validated by their signature. */
export const updateUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https address' })

// Ranges that webhooks may reach although they are not public, or none at all.
export const ranges = z.string().transform((text, context) => {
  const list = text === 'none' ? [] : text.split(',').map(range => range.trim())
  const parsed = z.array(cidr).safeParse(list)
  if (parsed.success) return parsed.data
  context.addIssue('must be none or a list of ranges such as 10.0.0.0/8,fd00::/8')
  return z.NEVER
})

// ACME requires https (RFC 8555, section 6.1).
export const directory = z.union([
  z.literal('none'),
  z.url({ protocol: /^https$/, error: 'must be none or an https address' }),
])

const listOf = (one: z.ZodType<string, string>) =>
  z
    .string()
    .transform(text => text.split(',').map(part => part.trim()))
    .pipe(z.array(one))

export const addresses = listOf(
  z.union([z.ipv4(), z.ipv6()], 'must be a list of addresses such as 192.0.2.1,2001:db8::1'),
)

export const servers = listOf(
  z
    .string()
    .refine(isNameServer, 'must be a list of name servers such as 192.0.2.53,[2001:db8::53]:5353'),
)

export const token = z
  .string()
  .regex(/^[!-~]{32,200}$/, 'must be 32 to 200 characters without spaces')

const shortestIdleMs = 10_000
const longestIdleMs = 86_400_000

// In php-fpm's format of times: seconds, or a number with another unit.
export const idle = z
  .string()
  .regex(/^[0-9]+[smh]?$/, 'must be a time such as 30s, 10m or 1h')
  .transform(text => parseInt(text, 10) * (unitsMs[text.slice(-1)] ?? 1_000))
  .refine(ms => ms >= shortestIdleMs, 'must be at least 10s')
  .refine(ms => ms <= longestIdleMs, 'must be at most 24h')

const unitsMs: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000 }

function isNameServer(text: string): boolean {
  try {
    new Resolver().setServers([text])
    return true
  } catch {
    return false
  }
}
