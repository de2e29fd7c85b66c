import { redact } from '../../log.ts'

// Removes secrets from texts that leave the server: known ones in every encoding, and anything that
// looks like one. Removing too much is better than too little.

/** Cuts secrets out of a text. */
export type Scrub = (text: string) => string

const cut = '[redacted]'

// Shorter secrets would match in ordinary words and numbers.
const shortest = 6

/** @param secrets the known ones, not encoded */
export function openScrub(secrets: readonly (string | Buffer)[]): Scrub {
  const forms = [...new Set(secrets.flatMap(formsOf))]
    .filter(form => form.length >= shortest)
    // The longest first: a shorter one may be a part of it.
    .sort((a, b) => b.length - a.length)
  return text => {
    const known = forms.reduce((left, form) => left.replaceAll(form, cut), text)
    return patterns.reduce((left, [pattern, instead]) => left.replace(pattern, instead), known)
  }
}

function formsOf(secret: string | Buffer): string[] {
  const bytes = Buffer.from(secret)
  const hex = bytes.toString('hex')
  const base64 = bytes.toString('base64')
  const encoded = [base64, base64.replace(/=+$/, ''), bytes.toString('base64url')]
  const forms = [hex, hex.toUpperCase(), ...encoded]
  if (typeof secret !== 'string') return forms
  const escaped = JSON.stringify(secret).slice(1, -1)
  return [secret, escaped, encodeURIComponent(secret), ...forms]
}

const random = (text: string): string => (isRandom(text) ? cut : text)

const names = 'passw(?:or)?d|passphrase|secret|token|cookie|api[_-]?key|authorization'
const value = `"[^"]*"|'[^']*'|[^\\s,;&}]+`

const patterns: [RegExp, (...found: string[]) => string][] = [
  [/-----BEGIN [A-Z ]+-----[\s\S]*?(-----END [A-Z ]+-----|$)/g, () => cut],
  [/pnl_[A-Za-z0-9_-]+/g, () => cut],
  // Hashes of passwords (crypt(5), Argon2), in addresses too.
  [/(\$|%24)[0-9a-z]{1,10}\1[^\s"']+/g, () => cut],
  [/(\/\/)[^\s/@"]+@/g, (_all, slashes) => `${slashes}${cut}@`],
  // Parameters of addresses, and the tokens of sign-on links.
  [/(https?:\/\/[^\s?#"'<>]+)[?#][^\s"'<>]*/g, (_all, address) => `${address}?${cut}`],
  [/(\/sso\/)[^\s"'<>?#]+/g, (_all, path) => `${path}${cut}`],
  [/\b(bearer|basic)\s+[^\s"',;]+/gi, (_all, kind) => `${kind} ${cut}`],
  [
    new RegExp(`([a-z_-]{0,30}(?:${names})["']?\\s*[=:]\\s*)(${value})`, 'gi'),
    (_all, name) => `${name}${cut}`,
  ],
  [/[A-Za-z0-9+/_-]{20,}={0,2}/g, random],
]

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

// Words and paths have few capitals, at the beginnings of words, and few digits.
function isRandom(text: string): boolean {
  if (uuid.test(text)) return false
  if (/^[0-9a-f]{20,}$/i.test(text) && /[0-9]/.test(text)) return true
  return text.split('/').some(part => {
    const capitals = part.match(/[A-Z]/g)?.length ?? 0
    if (capitals === 0 || !/[a-z]/.test(part)) return false
    return /[0-9]/.test(part) || (part.length >= 16 && capitals > part.length / 5)
  })
}

/** Scrubs all texts in a value, and drops fields whose names say that they are secret. */
export function scrubbed(value: unknown, scrub: Scrub): unknown {
  const plain: unknown = JSON.parse(JSON.stringify(redact(value) ?? null))
  const clean = (one: unknown): unknown => {
    if (typeof one === 'string') return scrub(one)
    if (Array.isArray(one)) return one.map(clean)
    if (typeof one !== 'object' || one === null) return one
    return Object.fromEntries(Object.entries(one).map(([name, part]) => [scrub(name), clean(part)]))
  }
  return clean(plain)
}
