import { z } from 'zod'

// The grammar of a website's Content-Security-Policy header (CSP Level 3).

const ofSources = [
  ...['default', 'script', 'script-elem', 'script-attr', 'style', 'style-elem', 'style-attr'],
  ...['img', 'font', 'connect', 'media', 'object', 'frame', 'child', 'worker', 'manifest'],
]
const sourceLists = new Set([
  // The suffix of the kind comes before that of the part: script-src-elem.
  ...ofSources.map(name => name.replace(/^([a-z]+)(.*)$/, '$1-src$2')),
  ...['base-uri', 'form-action', 'frame-ancestors'],
])
const switches = new Set(['upgrade-insecure-requests', 'block-all-mixed-content'])

const keyword =
  "'(?:self|none|unsafe-inline|unsafe-eval|unsafe-hashes|strict-dynamic|wasm-unsafe-eval|" +
  "report-sample)'"
const hash = "'sha(?:256|384|512)-[A-Za-z0-9+/_-]{40,90}={0,2}'"
const scheme = '[a-z][a-z0-9+.-]{0,30}:'
const host = '(?:\\*|(?:\\*\\.)?[A-Za-z0-9-]{1,63}(?:\\.[A-Za-z0-9-]{1,63})*)'
const path = '(?:/[A-Za-z0-9._~%@+=&-]*)*'
const address = `(?:${scheme}//)?${host}(?::(?:[0-9]{1,5}|\\*))?${path}`

const source = new RegExp(`^(?:${keyword}|${hash}|${scheme}|${address})$`)
const reportAddress = new RegExp(`^https?://${host}(?::[0-9]{1,5})?${path}$`)
const otherWords: Record<string, { allowed: RegExp; what: string }> = {
  sandbox: { allowed: /^allow-[a-z-]{1,50}$/, what: 'words such as allow-scripts' },
  'report-uri': { allowed: reportAddress, what: 'addresses' },
}

/** The maximum length of a policy, in characters. */
const maxLength = 1_500

/** The maximum number of parts that a policy has between its slashes. */
export const maxParts = 48

/** Splits a policy where it has slashes; each part but the last is followed by one or two. */
export function partsOf(policy: string): { text: string; slashes: 0 | 1 | 2 }[] {
  const parts = [...policy.matchAll(/([^/]{1,200})(\/{0,2})|(\/{1,2})/g)]
  return parts.map(([, text = '', after, alone]) => ({
    text,
    slashes: (after ?? alone ?? '').length as 0 | 1 | 2,
  }))
}

/** A policy in one line: directives that end with semicolons, as browsers read them. */
export const contentPolicy = z
  .string()
  .max(maxLength, `must have at most ${maxLength} characters`)
  .transform((text, context) => {
    const directives = text
      .split(';')
      .map(one => one.trim().split(/[ \t\r\n]+/))
      .filter(([name]) => name !== '')
    const seen = new Set<string>()
    for (const [given = '', ...values] of directives) {
      const name = given.toLowerCase()
      const why = seen.has(name) ? `has ${name} twice` : whyRefused(name, values)
      if (why !== undefined) {
        context.addIssue({ code: 'custom', message: why })
        return z.NEVER
      }
      seen.add(name)
    }
    return directives
      .map(([name = '', ...values]) => [name.toLowerCase(), ...values].join(' '))
      .join('; ')
  })
  .refine(text => text !== '', { error: 'must have a directive such as default-src', abort: true })
  .refine(text => partsOf(text).length <= maxParts, {
    error: `has too many addresses: there may be ${maxParts} parts between slashes`,
  })

const clip = (text: string): string => JSON.stringify(text.slice(0, 60))

function whyRefused(name: string, values: readonly string[]): string | undefined {
  const wrong = (allowed: RegExp) => values.find(value => !allowed.test(value))
  const words = otherWords[name]
  if (words !== undefined) {
    const value = wrong(words.allowed)
    return value && `${name} takes ${words.what}, not ${clip(value)}`
  }
  if (switches.has(name)) return values.length === 0 ? undefined : `${name} has no value`
  if (!sourceLists.has(name)) return `has no directive ${clip(name)} that can be set here`
  const value = wrong(source)
  if (value === undefined) return undefined
  return /^'nonce-/i.test(value)
    ? `${name} cannot take a nonce: it differs in each answer, so only a script can send it`
    : `${name} takes 'self', 'none' and other keywords, hashes such as 'sha256-…', schemes such ` +
        `as data: and hosts such as https://cdn.example.com, not ${clip(value)}`
}
