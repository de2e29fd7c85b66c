import { domainToUnicode } from 'node:url'
import { toAscii } from './grammar.ts'

/**
 * Converts a search term to the stored form: takes the host name of an address copied from a
 * browser, removes `www.`, which is always served too, and converts a name in Unicode to ASCII.
 */
export function searchWord(entered: string): string {
  const name = hostIn(entered.toLowerCase()).replace(/^www\./, '')
  // Takes the part of an e-mail address after its last @.
  return name.replace(/[^@]*$/, host => toAscii(host) || host)
}

/**
 * Returns the host name of an address copied from a browser, such as `https://www.shop.example/`.
 * Text without an address in it is returned as it is, without white space around it.
 */
export function hostIn(entered: string): string {
  const address = entered.trim().replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')
  return address.replace(/[/?#].*$/s, '').replace(/(\.[^:]*):[0-9]*$/, '$1')
}

/**
 * Returns whether a search term is a part of a domain as stored or as people write it: part of a
 * label in Unicode is not part of its ASCII form.
 */
export const isPartOf = (word: string, domain: string): boolean =>
  domain.includes(word) || toUnicode(domain).includes(toUnicode(word))

/** Returns the Unicode form of a name; anything but a host name is returned unchanged. */
export const toUnicode = (name: string): string =>
  (isEncoded(name) && domainToUnicode(name)) || name

/** Returns whether a label of the name has an ASCII form that differs from its Unicode form. */
export const isEncoded = (name: string): boolean => name.includes('xn--')
