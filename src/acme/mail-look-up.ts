import { Resolver } from 'node:dns/promises'
import { canonical, codeOf, isNone, type DnsSettings } from './points-here.ts'

// The look-ups that a check of a mail domain needs. Answers are text that others chose.

export type MailLookUp = {
  /** Returns the exchanges of a domain in lower case, the preferred ones first. */
  mx(name: string): Promise<{ exchange: string; priority: number }[]>
  /** Returns the texts of a name, each as one. */
  texts(name: string): Promise<string[]>
  /** Returns the addresses of a name, in the canonical spelling. */
  addresses(name: string): Promise<string[]>
  /** Ends the look-ups in progress. */
  cancel(): void
}

const timeoutMs = 2_000
const attempts = 2

/** Opens the look-ups of one domain; each answers once, however often it is asked for. */
export function openLookUp({ resolver: servers }: Pick<DnsSettings, 'resolver'>): MailLookUp {
  const resolver = new Resolver({ timeout: timeoutMs, tries: attempts })
  if (servers !== null) resolver.setServers(servers)
  const mx = async (name: string) => {
    const found = await orNone(() => resolver.resolveMx(name))
    return found
      .map(({ exchange, priority }) => ({ exchange: exchange.toLowerCase(), priority }))
      .sort((one, other) => one.priority - other.priority)
  }
  const texts = async (name: string) =>
    (await orNone(() => resolver.resolveTxt(name))).map(parts => parts.join(''))
  const addresses = async (name: string) => {
    const found = await Promise.all([
      orNone(() => resolver.resolve4(name)),
      orNone(() => resolver.resolve6(name)),
    ])
    return found.flat().map(canonical)
  }
  return {
    mx: once(mx),
    texts: once(texts),
    addresses: once(addresses),
    cancel: () => resolver.cancel(),
  }
}

// A name that is no name of DNS has no records: it came from a record of others.
async function orNone<One>(ask: () => Promise<One[]>): Promise<One[]> {
  try {
    return await ask()
  } catch (error) {
    if (isNone(error) || codeOf(error) === 'EBADNAME') return []
    throw error
  }
}

function once<Answer>(ask: (name: string) => Promise<Answer>): (name: string) => Promise<Answer> {
  const known = new Map<string, Promise<Answer>>()
  return name => {
    const answer = known.get(name) ?? ask(name)
    known.set(name, answer)
    return answer
  }
}
