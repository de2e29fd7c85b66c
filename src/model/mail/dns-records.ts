import { z } from 'zod'
import { recordNames, recordResults, type RecordName } from './mail-checks.ts'

// The DNS records that a mail domain should have, each with the courier's last check of it.

/** A DNS record as answers show it. */
export const DnsRecord = z.strictObject({
  record: z.enum(recordNames),
  name: z.string(),
  type: z.enum(['MX', 'TXT', 'CNAME']),
  value: z.string().nullable().describe('Null until it is known'),
  result: z
    .enum(recordResults)
    .nullable()
    .describe('Of the last check; `unknown` if no name server answered, null before the first'),
  found: z.array(z.string()).describe('The records that are there, in ASCII; at most 5'),
  checked_at: z.iso.datetime().nullable(),
})

export type DnsRecord = z.infer<typeof DnsRecord>

/** The last check of a record. */
export type RecordCheck = Pick<DnsRecord, 'record' | 'result' | 'found' | 'checked_at'>

type Domain = {
  domain: string
  /** Null on a server without mail. */
  host: string | null
  selector: string
  /** The public key of its signatures, in base64; null until it is made. */
  key: string | null
}

/** Returns the TXT record of a domain's signatures; null until the key is made. */
export const dkimOf = ({ domain, selector, key }: Domain) =>
  key === null
    ? null
    : { name: `${selector}._domainkey.${domain}`, value: `v=DKIM1; k=rsa; p=${key}` }

/** Returns the records of a domain, with their checks. */
export function recordsOf(of: Domain, checks: readonly RecordCheck[]): DnsRecord[] {
  const { domain, host, selector } = of
  const alias = host === null ? null : `${host}.`
  const desired: Record<RecordName, Pick<DnsRecord, 'name' | 'type' | 'value'>> = {
    mx: { name: domain, type: 'MX', value: alias && `10 ${alias}` },
    spf: { name: domain, type: 'TXT', value: 'v=spf1 mx -all' },
    dkim: {
      name: `${selector}._domainkey.${domain}`,
      ...{ type: 'TXT', value: dkimOf(of)?.value ?? null },
    },
    dmarc: { name: `_dmarc.${domain}`, type: 'TXT', value: 'v=DMARC1; p=none' },
    autoconfig: { name: `autoconfig.${domain}`, type: 'CNAME', value: alias },
    autodiscover: { name: `autodiscover.${domain}`, type: 'CNAME', value: alias },
  }
  return recordNames.map(record => ({
    record,
    ...desired[record],
    ...{ result: null, found: [], checked_at: null },
    ...checks.find(one => one.record === record),
  }))
}
