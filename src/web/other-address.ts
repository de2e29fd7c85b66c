import { isIP } from 'node:net'
import type { IncomingMessage } from 'node:http'

/** The hints of a sign-in page that was opened at an address where signing in is impossible. */
export type OtherAddress = {
  /** Where one can. */
  origin: string
  /** The line for the hosts file of one's own computer; undefined if the address is no name. */
  hostsLine: string | undefined
}

/**
 * Compares the address that a browser has opened with the panel's own: forms and cookies are of
 * that one alone. Undefined where they agree, or where the browser does not say.
 *
 * @param own an address of the server, for where the browser has opened a name
 */
export async function otherAddress(
  { headers: { host } }: Pick<IncomingMessage, 'headers'>,
  baseUrl: string,
  own: () => Promise<string[]>,
): Promise<OtherAddress | undefined> {
  const { origin, protocol, hostname, host: expected } = new URL(baseUrl)
  if (host === undefined || !URL.canParse(`${protocol}//${host}`)) return undefined
  const opened = new URL(`${protocol}//${host}`)
  if (opened.host === expected) return undefined
  if (isIP(bare(hostname)) !== 0) return { origin, hostsLine: undefined }
  const address = isIP(bare(opened.hostname)) === 0 ? (await own())[0] : bare(opened.hostname)
  return { origin, hostsLine: address && `${address} ${hostname}` }
}

/** Returns an address without the brackets that IPv6 has in a URL. */
const bare = (hostname: string): string => hostname.replace(/^\[|\]$/g, '')
