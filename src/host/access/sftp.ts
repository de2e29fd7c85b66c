import type { HostAccount } from '../../model/host-account.ts'
import { removeFile } from '../tools/files.ts'
import type { Machine } from '../machine.ts'
import { endSessions } from '../accounts/user-processes.ts'

/** Who is in this group may log in by SFTP, into the home and nothing else. */
export const sftpGroup = 'panel-sftp'

/** Who is in this one may not log in at all: without a shell one can still ask for tunnels. */
export const closedGroup = 'panel-closed'

/** Where sshd reads the part for all accounts. */
export const sshdFile = '/etc/ssh/sshd_config.d/60-panel.conf'

/** The one of the two groups that the account's package puts it into. */
export const sftpGroupOf = ({ limits }: HostAccount): string =>
  limits.sftp ? sftpGroup : closedGroup

/** Gives or takes SFTP. Taking it away ends sessions too: sshd asks only at the login. */
export async function ensureSftp(machine: Machine, account: HostAccount): Promise<string | void> {
  const { users, services } = machine
  await users.join(account, sftpGroupOf(account))
  if (account.limits.sftp) {
    await users.leave(account, closedGroup)
    return services.look('ssh')
  }
  await users.leave(account, sftpGroup)
  await endSessions(machine, account.uid)
}

/** Root's own: a file for each account whose user may log in with a key. */
export const keysFolder = '/etc/panel/keys'

/** Where sshd finds the account's keys: by number, so that no name's next owner inherits them. */
const keysOf = (uid: number): string => `${keysFolder}/${uid}`

export async function removeKeys(machine: Machine, { uid }: HostAccount): Promise<void> {
  removeFile(machine.path(keysOf(uid)))
}

/** The part of sshd's configuration for all accounts; nothing in it is of one account. */
export const renderSshd = (): string => `# Written by the panel, which overwrites changes.
DenyGroups ${closedGroup}

Match Group ${sftpGroup}
    ChrootDirectory /home/%u
    ForceCommand internal-sftp -d /files -u 0027 -l INFO
    AuthorizedKeysFile /etc/panel/keys/%U
    # Images of cloud providers switch it off for all.
    PasswordAuthentication yes
    AllowTcpForwarding no
    AllowStreamLocalForwarding no
    AllowAgentForwarding no
    X11Forwarding no
    PermitTunnel no
    PermitTTY no
`
