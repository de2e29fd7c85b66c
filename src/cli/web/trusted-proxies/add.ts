import { Option } from 'clipanion'
import { TrustedProxiesCommand } from './trusted-proxies-command.ts'

export class WebTrustedProxiesAddCommand extends TrustedProxiesCommand {
  static override summary = 'trust proxies in front of websites'
  static override details = `
    nginx takes the client's address from the X-Forwarded-For header of requests from these
    networks, for PHP and logs, and PHP sees HTTPS if their X-Forwarded-Proto is https. Anyone
    who can send requests from there can choose an address: add only networks of your own
    proxies, or \`cloudflare\` for those of Cloudflare. nginx is reloaded once.
  `
  static override examples = {
    'Trust Cloudflare': '$0 cloudflare',
    'Trust load balancers': '$0 192.0.2.0/28 2001:db8:5::/64',
  }

  network = Option.Rest({ name: 'NETWORK', required: 1 })

  act() {
    return this.change('added')
  }
}
