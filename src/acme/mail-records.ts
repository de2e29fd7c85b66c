import type {
  CheckedDomain,
  CheckedRecord,
  CheckMailDomain,
  DueCheck,
  RecordName,
  RecordResult,
} from '../model/mail/mail-checks.ts'
import { type MailLookUp, openLookUp } from './mail-look-up.ts'
import { canonical, ownAddresses, type DnsSettings } from './points-here.ts'
import { permits, spfRecords, type SpfSender } from './spf.ts'

// Asks name servers about a mail domain: each of its records, and whose it is.

/** After this time, what is not answered is unknown. */
const limitMs = 20_000

/** Opens the checks of mail domains. */
export const openMailChecks =
  (by: DnsSettings): CheckMailDomain =>
  async due => {
    const ask = openLookUp(by)
    const timer = setTimeout(() => ask.cancel(), limitMs)
    try {
      const addresses = new Set((by.addresses ?? ownAddresses()).map(canonical))
      return await checkDomain(due, { host: due.host, addresses }, ask)
    } finally {
      clearTimeout(timer)
    }
  }

type Verdict = { result: RecordResult; found: string[] }

async function checkDomain(
  due: DueCheck,
  sender: SpfSender,
  ask: MailLookUp,
): Promise<CheckedDomain> {
  const checks: Record<RecordName, () => Promise<Verdict>> = {
    mx: () => checkMx(due, sender, ask),
    spf: () => checkSpf(due, sender, ask),
    dkim: () => checkDkim(due, ask),
    dmarc: () => checkDmarc(due, ask),
    autoconfig: () => checkName(`autoconfig.${due.domain}`, sender, ask),
    autodiscover: () => checkName(`autodiscover.${due.domain}`, sender, ask),
  }
  const [found, proofs, ...records] = await Promise.all([
    findWay(due, sender, ask),
    findProofs(due, ask),
    ...Object.entries(checks).map(async ([record, check]): Promise<CheckedRecord> => {
      const { result, found } = await orUnknown(check)
      return { record: record as RecordName, result, found: plain(found) }
    }),
  ])
  return { found, proofs, records }
}

const orUnknown = (check: () => Promise<Verdict>): Promise<Verdict> =>
  check().catch(() => ({ result: 'unknown', found: [] }))

const maxFound = 5
const maxLength = 500

// Others chose the text: only what any terminal and page shows as it is.
const plain = (found: readonly string[]): string[] =>
  found.slice(0, maxFound).map(text => text.replaceAll(/[^ -~]/g, '?').slice(0, maxLength))

// A domain without MX records gets its mail at its address (RFC 5321, section 5.1).
async function findWay(
  { domain }: DueCheck,
  sender: SpfSender,
  ask: MailLookUp,
): Promise<CheckedDomain['found']> {
  try {
    const exchanges = await ask.mx(domain)
    if (exchanges.length > 0) {
      // The domain has answered: names that it leads to may be anyone's, and answer or not.
      const isWay = await isPreferred(exchanges, sender, ask).catch(() => false)
      return isWay ? 'mx' : null
    }
    return (await isHere(domain, sender, ask)) ? 'address' : null
  } catch {
    return 'unknown'
  }
}

async function findProofs({ domain }: DueCheck, ask: MailLookUp): Promise<string[]> {
  const texts = await ask.texts(`_panel-mail.${domain}`).catch(() => [])
  return texts.flatMap(text => /^panel-mail=([0-9a-f]{32})$/.exec(text.trim())?.[1] ?? [])
}

async function isHere(name: string, sender: SpfSender, ask: MailLookUp): Promise<boolean> {
  if (name === sender.host) return true
  const found = await ask.addresses(name)
  return found.length > 0 && found.every(address => sender.addresses.has(address))
}

// Mail goes to the preferred exchanges; others get it only while those are down.
async function isPreferred(
  exchanges: { exchange: string; priority: number }[],
  sender: SpfSender,
  ask: MailLookUp,
): Promise<boolean> {
  const preferred = exchanges.filter(({ priority }) => priority === exchanges[0]?.priority)
  const here = await Promise.all(
    preferred.slice(0, maxFound).map(({ exchange }) => isHere(exchange, sender, ask)),
  )
  return here.every(Boolean)
}

async function checkMx({ domain }: DueCheck, sender: SpfSender, ask: MailLookUp): Promise<Verdict> {
  const exchanges = await ask.mx(domain)
  if (exchanges.length === 0) return { result: 'missing', found: [] }
  const found = exchanges.map(({ exchange, priority }) => `${priority} ${exchange}.`)
  return { result: (await isPreferred(exchanges, sender, ask)) ? 'ok' : 'wrong', found }
}

async function checkSpf(
  { domain }: DueCheck,
  sender: SpfSender,
  ask: MailLookUp,
): Promise<Verdict> {
  const found = spfRecords(await ask.texts(domain))
  const [record, ...more] = found
  if (record === undefined) return { result: 'missing', found }
  // Receivers reject several (RFC 7208, section 4.5).
  const isOk = more.length === 0 && (await permits(record, domain, sender, ask))
  return { result: isOk ? 'ok' : 'wrong', found }
}

async function checkDkim({ domain, selector, key }: DueCheck, ask: MailLookUp): Promise<Verdict> {
  const found = await ask.texts(`${selector}._domainkey.${domain}`)
  if (found.length === 0 || key === null) return { result: 'missing', found }
  const keyIn = (text: string) => tagOf(text, 'p')?.replaceAll(/\s/g, '')
  return { result: found.length === 1 && keyIn(found[0]!) === key ? 'ok' : 'wrong', found }
}

async function checkDmarc({ domain }: DueCheck, ask: MailLookUp): Promise<Verdict> {
  const found = (await ask.texts(`_dmarc.${domain}`)).filter(text => /^v=DMARC1\b/i.test(text))
  if (found.length === 0) return { result: 'missing', found }
  const policy = tagOf(found[0]!, 'p')?.toLowerCase() ?? ''
  const isOk = found.length === 1 && ['none', 'quarantine', 'reject'].includes(policy)
  return { result: isOk ? 'ok' : 'wrong', found }
}

// The value of a tag in a list `a=b; c=d` (RFC 6376, section 3.2).
const tagOf = (text: string, tag: string): string | undefined =>
  text
    .split(';')
    .map(part => part.trim())
    .find(part => part.replaceAll(/\s*=/g, '=').startsWith(`${tag}=`))
    ?.replace(/^[^=]*=\s*/, '')

// An alias, or addresses of its own.
async function checkName(name: string, sender: SpfSender, ask: MailLookUp): Promise<Verdict> {
  const found = await ask.addresses(name)
  if (found.length === 0) return { result: 'missing', found }
  return { result: (await isHere(name, sender, ask)) ? 'ok' : 'wrong', found }
}
