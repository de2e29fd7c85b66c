import type { ShownSite } from '../model/sites/shown-sites.ts'
import { inWords, SiteRules } from '../model/sites/site-rules.ts'
import { publicAddresses } from './dns-records.ts'
import { ago, date, shortDay, type Tone } from './words.ts'

// The state of a website's certificate in the customer's words, and the customer's next step.

/** Returns the rules of its .htaccess files that are not applied, as a sentence. */
export function rulesWords({ rules }: Pick<ShownSite, 'rules'>): string | undefined {
  const known = SiteRules.safeParse(rules).data
  const words = known && inWords(known)
  return words && `${words}.`
}

export type SiteWords = { label: string; tone: Tone; sentence: string | undefined }

/** @param now for the time until the next check */
export function siteWords(
  site: ShownSite,
  addresses: readonly string[],
  now = new Date(),
): SiteWords {
  const { state, ssl } = site
  if (state === 'adding') return { label: 'being added', tone: 'busy', sentence: undefined }
  if (state === 'removing') return { label: 'being removed', tone: 'busy', sentence: undefined }
  if (ssl === 'issued') return secure(site)
  if (!site.is_issuing) {
    const sentence =
      'Certificates are switched off on this server; the website is served over HTTP only.'
    return { label: 'no certificate', tone: 'quiet', sentence }
  }
  const label = 'not secure yet'
  switch (ssl) {
    case 'pending':
      return { label, tone: 'busy', sentence: 'Its certificate has been requested.' }
    case 'failed':
      return {
        label,
        tone: 'warn',
        sentence: `The domain points here, but got no certificate. ${nextAttempt(site, now)}`,
      }
    case 'none':
      return site.error === null
        ? { label, tone: 'busy', sentence: 'About to check where the domain points.' }
        : { label, tone: 'warn', sentence: pointing(site, site.error, addresses, now) }
  }
}

/** Returns the further names of a website, each with the state of its certificate. */
export function aliasWords(site: ShownSite): { name: string; words: string }[] {
  const certified = (name: string) => site.names?.includes(name) ?? false
  const why = (name: string) => site.missing?.[name] ?? 'its DNS records have not been checked yet'
  return site.aliases.map(name => {
    if (certified(name)) return { name, words: 'secure' }
    const words = site.is_issuing ? `not secure yet: ${why(name)}` : 'served over HTTP only'
    return { name, words }
  })
}

function secure({ expires_at, error }: ShownSite): SiteWords {
  const label = expires_at === null ? 'secure' : `secure until ${shortDay(date(expires_at))}`
  const sentence =
    error === null ? undefined : 'The renewal has failed so far and will be tried again.'
  return { label, tone: 'good', sentence }
}

function pointing(site: ShownSite, error: string, addresses: readonly string[], now: Date): string {
  const [first, ...more] = publicAddresses(addresses)
  const records = [first, ...more].map(address => `${kindOf(address)} record to ${address}`)
  const advice = first === undefined ? '' : ` Set its ${records.join(' and its ')}.`
  return `${error}.${advice} ${nextAttempt(site, now)}`
}

const kindOf = (address = ''): string => (address.includes(':') ? 'AAAA' : 'A')

function nextAttempt({ due_at }: ShownSite, now: Date): string {
  if (due_at === null) {
    return 'Checked for a week without success; the next check follows a change to the account.'
  }
  const due = date(due_at)
  return due > now ? `The next check is ${ago(due, now)}.` : 'Checking again now.'
}
