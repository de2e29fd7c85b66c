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
  return name.replace(/[^@]*$/, toAscii)
}
