import { BlockList, isIP } from 'node:net'
import type { MailLookUp } from './mail-look-up.ts'

// Evaluates SPF records for this server (RFC 7208), without a message: terms with macros permit
// nothing.

/** The server that a record has to permit. */
export type SpfSender = {
  /** The name of the mail server, which its own records lead to. */
  host: string
  /** The server's public addresses. */
  addresses: ReadonlySet<string>
}

/** Returns the SPF records among the texts of a domain. */
export const spfRecords = (texts: readonly string[]): string[] =>
  texts.filter(text => /^v=spf1(?: |$)/i.test(text))

// RFC 7208, section 4.6.4.
const maxLookUps = 10

/**
 * Returns whether a domain's SPF record permits mail of this server.
 *
 * @throws if a name server does not answer
 */
export function permits(
  record: string,
  domain: string,
  sender: SpfSender,
  ask: MailLookUp,
): Promise<boolean> {
  let left = maxLookUps
  const mayAsk = () => left-- > 0

  const isOwn = async (name: string): Promise<boolean> =>
    name === sender.host || (await ask.addresses(name)).some(one => sender.addresses.has(one))

  async function matches(name: string, value: string, of: string): Promise<boolean> {
    const [target = '', prefix] = value.split('/')
    const host = (target === '' ? of : target).toLowerCase()
    if (name === 'ip4' || name === 'ip6') return contains(target, prefix, sender)
    if (!['a', 'mx', 'include'].includes(name) || host.includes('%') || !mayAsk()) return false
    if (name === 'a') return isOwn(host)
    if (name === 'mx') {
      for (const { exchange } of (await ask.mx(host)).slice(0, 5)) {
        if (await isOwn(exchange)) return true
      }
      return false
    }
    return follow(host)
  }

  async function follow(host: string): Promise<boolean> {
    const [only, ...more] = spfRecords(await ask.texts(host))
    return only !== undefined && more.length === 0 && evaluate(only, host)
  }

  async function evaluate(text: string, of: string): Promise<boolean> {
    for (const term of text.split(/ +/).slice(1)) {
      const found = /^([+?~-]?)([a-z0-9]+)(?::(.*)|(\/.*))?$/i.exec(term)
      if (found === null) continue
      const [, sign = '', word = '', target, length] = found
      const name = word.toLowerCase()
      const value = target ?? length ?? ''
      // None after it is read.
      if (name === 'all') return sign === '' || sign === '+'
      if (await matches(name, value, of)) return sign === '' || sign === '+'
    }
    const redirect = /(?:^| )redirect=([^ %]+)(?: |$)/i.exec(text)?.[1]
    return redirect !== undefined && mayAsk() && follow(redirect.toLowerCase())
  }

  return evaluate(record, domain)
}

function contains(network: string, prefix: string | undefined, { addresses }: SpfSender): boolean {
  const family = isIP(network)
  if (family === 0) return false
  const type = family === 4 ? 'ipv4' : 'ipv6'
  const length = prefix === undefined ? (family === 4 ? 32 : 128) : Number(prefix)
  if (!Number.isInteger(length) || length < 0 || length > (family === 4 ? 32 : 128)) return false
  const list = new BlockList()
  list.addSubnet(network, length, type)
  return [...addresses].some(one => isIP(one) === family && list.check(one, type))
}
