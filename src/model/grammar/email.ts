import { domainToASCII, domainToUnicode } from 'node:url'
import { z } from 'zod'
import { hidden, spaces } from './characters.ts'

// E-mail addresses as mail servers accept them: RFC 5321, section 4.1.2, and RFC 6531, section 3.3,
// which allows other scripts than Latin. The database has the same grammar (is_email.sql).

const wide = `[^\\0-\\x7f${hidden}${spaces}]`
const atom = `(?:[A-Za-z0-9!#$%&'*+/=?^_\`{|}~-]|${wide})+`
const quoted = `"(?:[ !#-\\[\\]-~]|${wide}|\\\\[ -~])*"`

// Excludes the full stops of other scripts, which become dots in the ASCII form.
const wideLetter = `[^\\0-\\x7f\\u3002\\uff0e\\uff61${hidden}${spaces}]`
const letter = `(?:[A-Za-z0-9]|${wideLetter})`
const label = `${letter}(?:(?:-|${letter})*${letter})?`
// Excludes numbers and single Latin letters: a domain that ends in one is an IP address or a
// mistake.
const latin = '[A-Za-z][A-Za-z0-9-]*[A-Za-z0-9]'
const wideLabel = `(?:-|${letter})*${wideLetter}(?:(?:-|${letter})*${letter})?`
const topLevel = `(?:${latin}|${wideLabel})`

const domainName = `(?:${label}\\.)+(?!-)${topLevel}`

const address = new RegExp(
  `^(?<local>${atom}(?:\\.${atom})*|${quoted})@(?<domain>${domainName})$`,
  'u',
)
const wholeDomain = new RegExp(`^${domainName}$`, 'u')

// RFC 5321, section 4.5.3.1, in octets; a path has at most 256, with the brackets.
const maxOctets = 254
const maxLocalOctets = 64

const octets = (text: string): number => Buffer.byteLength(text)

function isAddress(text: string): boolean {
  const { local = '', domain = '' } = address.exec(text)?.groups ?? {}
  // A domain without an ASCII form, such as one with too long a label, is not a domain (RFC 5890).
  return domain !== '' && octets(local) <= maxLocalOctets && isDomain(domain)
}

function isDomain(domain: string): boolean {
  const ascii = /[^\0-\x7f]|xn--/i.test(domain) ? domainToASCII(domain) : domain
  return ascii !== '' && ascii.split('.').every(one => one.length <= 63) && isDecodable(ascii)
}

// Returns whether each label that begins with `xn--` is the ASCII form of a label in Unicode.
function isDecodable(ascii: string): boolean {
  if (!/(^|\.)xn--/.test(ascii)) return true
  const unicode = domainToUnicode(ascii)
  return (
    !/(^|\.)xn--/.test(unicode) && wholeDomain.test(unicode) && domainToASCII(unicode) === ascii
  )
}

/** An e-mail address of an account or operator, at most 254 octets, kept as it was sent. */
export const email = z
  .string()
  .refine(text => octets(text) <= maxOctets, {
    error: `must have at most ${maxOctets} bytes`,
    abort: true,
  })
  .refine(isAddress, 'is not an e-mail address')
  .meta({ maxLength: maxOctets, format: 'email' })
