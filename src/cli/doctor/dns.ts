import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { ownAddresses, resolve } from '../../acme/points-here.ts'
import { isLoopback } from '../../config.ts'
import * as health from '../../model/server/database-health.ts'
import { type Checks, failure, list, type DoctorContext, Skip, warning, well } from './check.ts'

// A resolver near by answers within a second; two attempts cover a lost packet.
const timeout = { timeout: 2_000, tries: 2 }
// Only the websites whose certificates are renewed next.
const maxWebsites = 100

/** Names and addresses, without which no certificate comes. */
export const dnsChecks: Checks = {
  async resolver({ config }) {
    const resolver = new Resolver(timeout)
    const { resolver: servers } = config.certificates
    if (servers !== null) resolver.setServers(servers)
    const asked = resolver.getServers().join(', ')
    try {
      await resolver.resolve4(config.serverName)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      // That there is no such name, or no such address, is an answer.
      if (!['ENOTFOUND', 'ENODATA'].includes(code ?? '')) {
        const words = `The name servers ${asked} do not answer (${code})`
        return failure(words, 'Set other name servers in /etc/resolv.conf or PANEL_RESOLVER')
      }
    }
    return well(`The name servers ${asked} answer`)
  },
  async 'own-name'({ config }) {
    const name = new URL(config.baseUrl).hostname
    if (isLoopback(name) || isIP(name.replace(/^\[|\]$/g, '')) !== 0) {
      throw new Skip('The panel is reached by an IP address')
    }
    const { why } = await resolve(name, config.certificates)
    if (why === undefined) return well(`${name} points to this server`)
    return warning(why, 'Point it here, or correct PANEL_BASE_URL or PANEL_ADDRESSES')
  },
  addresses(panel) {
    requireIssuing(panel)
    const addresses = panel.config.certificates.addresses ?? ownAddresses()
    const open = addresses.filter(address => ipaddr.process(address).range() === 'unicast')
    if (open.length > 0) return well(`The server's addresses are ${list(open)}`)
    const words = 'The server has no public address: no website can get a certificate'
    return warning(words, 'Behind a router, set PANEL_ADDRESSES to its public addresses')
  },
  async websites(panel) {
    requireIssuing(panel)
    const names = await health.listCertifiedNames(await panel.db(), maxWebsites)
    const resolved = await Promise.all(names.map(name => resolve(name, panel.config.certificates)))
    const elsewhere = resolved.flatMap(({ why }) => why ?? [])
    if (elsewhere.length === 0) return well(`All domains of websites point here: ${names.length}`)
    const words = `Websites do not point here (any more, or yet): ${list(elsewhere)}`
    return warning(words, 'Their certificates cannot be renewed; notify their owners')
  },
}

function requireIssuing({ config }: DoctorContext): void {
  if (config.certificates.directory === null)
    throw new Skip('Certificates are switched off on this server')
}
