import { Option } from 'clipanion'
import { TrustedProxiesCommand } from './trusted-proxies-command.ts'

export class WebTrustedProxiesRmCommand extends TrustedProxiesCommand {
  static override summary = 'stop trusting proxies in front of websites'
  static override details = 'nginx is reloaded once.'
  static override examples = { 'Stop trusting a load balancer': '$0 192.0.2.0/28' }

  network = Option.Rest({ name: 'NETWORK', required: 1 })

  act() {
    return this.change('removed')
  }
}
