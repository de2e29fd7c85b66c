import type { DnsRecord } from '../model/mail/dns-records.ts'
import type { ShownDomain } from '../model/mail/shown-mail.ts'
import { t, type PlainKey } from './texts/texts.ts'
import type { Tone } from './words.ts'

// The DNS records that a customer has to set for a mail domain, and how far that has come.

export type RecordView = {
  type: DnsRecord['type']
  name: string
  /** Null until it is known. */
  value: string | null
  /** Says in a sentence why it is needed. */
  purpose: string
  /** Left out of the proof, which is part of the state of the domain. */
  state?: { label: string; tone: Tone }
  /** The records that are there instead. */
  found: string[]
}

const purposes: Record<DnsRecord['record'], { name: string; purpose: PlainKey }> = {
  mx: { name: 'MX', purpose: 'mail.forMx' },
  spf: { name: 'SPF', purpose: 'mail.forSpf' },
  dkim: { name: 'DKIM', purpose: 'mail.forDkim' },
  dmarc: { name: 'DMARC', purpose: 'mail.forDmarc' },
  autoconfig: { name: 'autoconfig', purpose: 'mail.forAutoconfig' },
  autodiscover: { name: 'autodiscover', purpose: 'mail.forAutodiscover' },
}

const states: Record<NonNullable<DnsRecord['result']>, { label: PlainKey; tone: Tone }> = {
  ok: { label: 'mail.recordOk', tone: 'good' },
  missing: { label: 'mail.recordMissing', tone: 'warn' },
  wrong: { label: 'mail.recordWrong', tone: 'bad' },
  unknown: { label: 'mail.recordUnknown', tone: 'quiet' },
}

/** Returns the records of a mail domain, with the one that proves it where it needs that. */
export const recordViews = ({ domain, records, has_website, proof }: ShownDomain): RecordView[] => {
  const views = records.map(toView)
  if (has_website) return views
  const name = `_panel-mail.${domain}`
  return [{ type: 'TXT', name, value: proof, purpose: t('mail.forProof'), found: [] }, ...views]
}

function toView({ record, type, name, value, result, found }: DnsRecord): RecordView {
  const { label, tone } =
    result === null ? ({ label: 'mail.notChecked', tone: 'quiet' } as const) : states[result]
  return {
    ...{ type, name, value, purpose: t(purposes[record].purpose) },
    state: { label: t(label), tone },
    found: result === 'wrong' ? found : [],
  }
}

// As record_mail_domain_seen.sql counts them.
const daysUntilPending = 7

type DomainWords = {
  label: string
  tone: Tone
  /** Says what is still missing. */
  sentence?: string
  /** When it stops getting mail, if its records go on leading elsewhere. */
  until?: Date
}

/** Returns the state of a mail domain. */
export function domainWords(domain: ShownDomain): DomainWords {
  const { state, has_website, checked_at, missing_since, records } = domain
  if (state === 'pending') {
    const proof = has_website ? 'website' : 'txt'
    const seen = checked_at === null ? 'no' : 'yes'
    const sentence = t('mail.missing', { proof, seen })
    return { label: t('states.pending'), tone: 'warn', sentence }
  }
  if (missing_since === null) {
    const lacking = records.filter(({ result }) => result === 'missing' || result === 'wrong')
    const names = lacking.map(({ record }) => purposes[record].name).join(', ')
    const sentence = lacking.length > 0 ? t('mail.stillMissing', { names }) : t('mail.getsMail')
    return { label: t('states.active'), tone: 'good', sentence }
  }
  const until = new Date(missing_since)
  until.setUTCDate(until.getUTCDate() + daysUntilPending)
  return { label: t('mail.elsewhere'), tone: 'bad', until }
}
