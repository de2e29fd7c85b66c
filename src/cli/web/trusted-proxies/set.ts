import { Option } from 'clipanion'
import { TrustedProxiesCommand } from './trusted-proxies-command.ts'

export class WebTrustedProxiesSetCommand extends TrustedProxiesCommand {
  static override summary = 'replace the list of proxies that websites trust'
  static override details = 'Without a network the list becomes empty.'
  static override examples = {
    'Trust Cloudflare alone': '$0 cloudflare',
    'Trust no proxy': '$0',
  }

  network = Option.Rest({ name: 'NETWORK' })

  act() {
    return this.change('proxies')
  }
}
