import type { ShownSite } from '../model/sites/shown-sites.ts'
import { closedInWords, inWords, SiteRules } from '../model/sites/site-rules.ts'
import { t } from './texts/texts.ts'
import { publicAddresses } from './dns-records.ts'
import { ago, date, shortDay, type Tone } from './words.ts'

// The state of a website's certificate in the customer's words, and the customer's next step.

/** Returns the rules of its .htaccess files that are not applied, as a sentence. */
export function rulesWords({ rules }: Pick<ShownSite, 'rules'>): string | undefined {
  const known = SiteRules.safeParse(rules).data
  const words = known && inWords(known)
  return words && `${words}.`
}

/** Returns the folders that its .htaccess files close, as a sentence. */
export function closedWords({ rules }: Pick<ShownSite, 'rules'>): string | undefined {
  const known = SiteRules.safeParse(rules).data
  const words = known && closedInWords(known)
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
  if (state === 'adding') return { label: t('sites.beingAdded'), tone: 'busy', sentence: undefined }
  if (state === 'removing')
    return { label: t('sites.beingRemoved'), tone: 'busy', sentence: undefined }
  if (ssl === 'issued') return secure(site)
  if (!site.is_issuing) {
    const sentence = t('sites.certificatesAreSwitchedOff')
    return { label: t('sites.noCertificate'), tone: 'quiet', sentence }
  }
  const label = t('sites.notSecureYet')
  switch (ssl) {
    case 'pending':
      return { label, tone: 'busy', sentence: t('sites.certificateHasBeenRequested') }
    case 'failed':
      return {
        label,
        tone: 'warn',
        sentence: t('sites.domainPointsHereBut', { nextAttempt: nextAttempt(site, now) }),
      }
    case 'none':
      return site.error === null
        ? { label, tone: 'busy', sentence: t('sites.aboutCheckWhereDomain') }
        : { label, tone: 'warn', sentence: pointing(site, site.error, addresses, now) }
  }
}

/** Returns the further names of a website, each with the state of its certificate. */
export function aliasWords(site: ShownSite): { name: string; words: string }[] {
  const certified = (name: string) => site.names?.includes(name) ?? false
  const why = (name: string) => site.missing?.[name] ?? t('sites.dnsRecordsHaveNot')
  return site.aliases.map(name => {
    if (certified(name)) return { name, words: t('sites.secure') }
    const words = site.is_issuing
      ? t('sites.notSecureYetWhy', { why: why(name) })
      : t('sites.servedOverHttpOnly')
    return { name, words }
  })
}

function secure({ expires_at, error }: ShownSite): SiteWords {
  const label =
    expires_at === null
      ? 'secure'
      : t('sites.secureUntilExpiresAt', { expiresAt: shortDay(date(expires_at)) })
  const sentence = error === null ? undefined : t('sites.renewalHasFailedSo')
  return { label, tone: 'good', sentence }
}

function pointing(site: ShownSite, error: string, addresses: readonly string[], now: Date): string {
  const [first, ...more] = publicAddresses(addresses)
  const records = [first, ...more].map(address =>
    t('sites.kindRecordAddress', { kind: kindOf(address), address: address ?? '' }),
  )
  const advice =
    first === undefined ? '' : t('sites.setRecords', { records: records.join(t('sites.andIts')) })
  return `${error}.${advice} ${nextAttempt(site, now)}`
}

const kindOf = (address = ''): string => (address.includes(':') ? 'AAAA' : 'A')

function nextAttempt({ due_at }: ShownSite, now: Date): string {
  if (due_at === null) {
    return t('sites.checkedWeekWithoutSuccess')
  }
  const due = date(due_at)
  return due > now ? t('sites.nextCheckNow', { now: ago(due, now) }) : t('sites.checkingAgainNow')
}
