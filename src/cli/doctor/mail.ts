import { existsSync } from 'node:fs'
import { relayDrift } from '../../host/mail/relay.ts'
import { mailDrift } from '../../host/mail/programs.ts'
import { inShort } from '../../host/tools/file-drift.ts'
import { readMailRelay } from '../../model/server/mail-relay.ts'
import { readMailServer } from '../../model/server/mail-server.ts'
import { readOwnMailState } from '../../model/server/own-mail.ts'
import { readServerKey } from '../../model/server/server-key.ts'
import {
  type Checks,
  failure,
  fixedBy,
  fixedByRoot,
  list,
  requireKernel,
  requireRoot,
  Skip,
  warning,
  well,
} from './check.ts'

const rebuild = 'Run panel ctl rebuild to write them again'

/** Checks the service that takes mail of scripts. */
export const mailChecks: Checks = {
  async relay(panel) {
    requireRoot(panel)
    const { machine, config, db } = panel
    const relay = await readMailRelay(await db())
    let differing: string[]
    try {
      differing = relayDrift(machine, relay, readServerKey(config.keyFile))
    } catch (error) {
      const words = `The mail relay cannot be read: ${(error as Error).message}`
      return failure(words, 'Set it again with its password: panel mail relay set')
    }
    if (differing.length > 0) {
      const words = `Files of the mail relay differ: ${list(differing)}`
      return fixedBy(failure(words, rebuild), { do: 'rebuild-server' })
    }
    const server = await readMailServer(await db())
    if (server !== null) return well(`Mail of scripts is sent by ${server.host}, this server's own`)
    if (relay === null) return well('Scripts send no mail: there is no mail relay')
    if (machine.tools.areRequired && !existsSync('/usr/bin/msmtp')) {
      const words = 'Scripts cannot send mail: msmtp is not installed'
      const command = 'apt-get install --no-install-recommends msmtp ca-certificates'
      return fixedByRoot(failure(words, command), command)
    }
    return well(`Mail of scripts is sent by ${relay.host}`)
  },
  async own({ db }) {
    const { failed_at, error } = await readOwnMailState(await db())
    if (failed_at === null) return well('No mail of the panel itself has failed since the last')
    const words = `Mail of the panel itself has not been sent since \
${failed_at.toISOString()}: ${error}`
    return warning(words, 'Check the relay: panel mail relay show; it is tried again for hours')
  },
  programs(panel) {
    requireRoot(panel)
    const differing = mailDrift(panel.machine)
    if (differing.length === 0) return well('The programs of the mail service are unchanged')
    return failure(`The mail service differs: ${list(differing.map(inShort))}`, rebuild)
  },
  async service(panel) {
    requireRoot(panel)
    requireKernel(panel)
    if (!existsSync('/run/systemd/system') || !panel.isInstalled) {
      throw new Skip('The worker starts the mail service')
    }
    try {
      await panel.machine.run('systemctl', ['is-active', '-q', 'panel-submit.socket'])
      return well('The mail service accepts messages')
    } catch {
      const words = 'The mail service accepts no messages: mail() returns false'
      return warning(words, 'systemctl start panel-submit.socket')
    }
  },
}
