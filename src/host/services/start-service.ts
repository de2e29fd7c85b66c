import { PanelError } from '../../errors.ts'
import type { RemedyHost } from '../../model/server/remedy-host.ts'
import type { Startable } from '../../model/server/remedies.ts'
import type { Machine } from '../contract.ts'
import { postfixUnit } from '../mail-server/units.ts'
import { CommandError } from '../tools/run.ts'

// The units of the services that an administrator can start.
const unitsOf = (machine: Machine): Record<Startable, string> => ({
  nginx: 'nginx.service',
  ssh: 'ssh.service',
  cron: 'cron.service',
  mariadb: 'mariadb.service',
  postfix: postfixUnit(machine),
  dovecot: 'dovecot.service',
  rspamd: 'rspamd.service',
  'panel-submit': 'panel-submit.socket',
})

// Names the reason better than systemd, which only reports that the process has ended.
const tests: Partial<Record<Startable, [tool: string, ...args: string[]]>> = {
  nginx: ['nginx', '-t', '-q'],
  ssh: ['sshd', '-t'],
}

// MariaDB may recover its tables first; systemd's own limit is 90 s.
const limitMs = 100_000

/** Starts services by systemd. */
export const serviceStartOf = (machine: Machine): Pick<RemedyHost, 'startService'> => ({
  async startService(service) {
    if (!machine.tools.has('systemctl'))
      throw new PanelError('invalid', `There is no systemd here to start ${service} with`)
    const unit = unitsOf(machine)[service]
    const [tool, ...args] = tests[service] ?? []
    if (tool !== undefined && machine.tools.has(tool)) await machine.run(tool, args)
    try {
      // A unit that has failed too often is refused until its counter is reset.
      await machine.run('systemctl', ['reset-failed', '--', unit]).catch(() => '')
      await machine.run('systemctl', ['start', '--', unit], { timeoutMs: limitMs })
    } catch (error) {
      if (!(error instanceof CommandError) || !isUnknownUnit(error)) throw error
      throw new PanelError('invalid', `${service} is not installed on this server`)
    }
  },
})

// LSB: the exit code 5 means that the unit does not exist.
const isUnknownUnit = ({ exitCode }: CommandError): boolean => exitCode === 5
