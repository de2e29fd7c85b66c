import type { HostAccount } from '../model/host-account.ts'
import type { Machine } from './machine.ts'
import { endSessions } from './processes.ts'

/** Who is in this group may log in by SFTP, into the home and nothing else. */
export const sftpGroup = 'panel-sftp'

/** Gives or takes SFTP. Taking it away ends sessions too: sshd asks only at the login. */
export async function ensureSftp(machine: Machine, account: HostAccount): Promise<void> {
  if (account.limits.sftp) return machine.users.join(account, sftpGroup)
  await machine.users.leave(account, sftpGroup)
  await endSessions(machine, account.uid)
}

/** The part of sshd's configuration for all accounts; nothing in it is of one account. */
export const renderSshd = (): string => `# Written by the panel, which overwrites changes.
Match Group ${sftpGroup}
    ChrootDirectory /home/%u
    ForceCommand internal-sftp -d /files -u 0027 -l INFO
    AuthorizedKeysFile /etc/panel/keys/%U
    AllowTcpForwarding no
    AllowStreamLocalForwarding no
    AllowAgentForwarding no
    X11Forwarding no
    PermitTunnel no
    PermitTTY no
`
