import { domainToUnicode } from 'node:url'
import { toAscii } from './grammar.ts'

/**
 * What somebody looks for, as it is stored: of an address that was copied from a browser the name,
 * without the `www.` that is served along, and a name in Unicode in its ASCII form.
 */
export function searchWord(entered: string): string {
  const word = entered.trim().toLowerCase()
  const host = word.replace(/^[a-z][a-z0-9+.-]*:\/\//, '').replace(/[/?#].*$/, '')
  const name = host.replace(/^www\./, '').replace(/(\.[^:]*):[0-9]*$/, '$1')
  // Of an e-mail address what is behind its last @.
  return name.replace(/[^@]*$/, host => toAscii(host) || host)
}

/**
 * Whether what somebody looks for is a part of a domain as it is stored, or as people write it: a
 * part of a label in Unicode is no part of its ASCII form.
 */
export const isPartOf = (word: string, domain: string): boolean =>
  domain.includes(word) || toUnicode(domain).includes(toUnicode(word))

/** A name as people write it; what is no name stays as it is. */
export const toUnicode = (name: string): string =>
  (isEncoded(name) && domainToUnicode(name)) || name

/** Whether there is a label in it whose ASCII form is not what people write. */
export const isEncoded = (name: string): boolean => name.includes('xn--')
