import type { HostAccount } from '../../model/host-account.ts'
import { isKnown, membersOf } from '../accounts/user-database.ts'
import { endSessions } from '../accounts/user-processes.ts'
import type { Resource } from '../contract.ts'
import { removeFile } from '../tools/files.ts'

/** Who is in this group may log in by SFTP, into the home and nothing else. */
export const sftpGroup = 'panel-sftp'

/** Who is in this one may not log in at all: without a shell one can still ask for tunnels. */
export const closedGroup = 'panel-closed'

/** Root's own: a file for each account whose user may log in with a key. */
const keysFolder = '/etc/panel/keys'

/** Who logs in by SFTP: by the account's package, and with which keys. */
export const sftp: Resource = {
  name: 'sftp',
  async ensure(machine, account) {
    const { users, services } = machine
    await users.join(account, sftpGroupOf(account))
    if (account.limits.sftp) {
      await users.leave(account, closedGroup)
      return services.look('ssh')
    }
    await users.leave(account, sftpGroup)
    // sshd asks only at the login.
    await endSessions(machine, account.uid)
  },
  // Keys go by number, so that no name's next owner inherits them.
  remove: async (machine, { uid }) => removeFile(machine.path(`${keysFolder}/${uid}`)),
  keeps: () => ({ name: 'keys', folder: keysFolder, entries: 'all' }),
  look(_, users) {
    const groups = [sftpGroup, closedGroup].map(group => ({
      group,
      members: new Set(membersOf(users.fields('group', group))),
    }))
    return account => {
      if (!isKnown(users, account)) return []
      const isMember = (group: string) => group === sftpGroupOf(account)
      return groups
        .filter(({ group, members }) => members.has(account.username) !== isMember(group))
        .map(({ group }) => `the membership in ${group} differs`)
    }
  },
}

/** The one of the two groups that the account's package puts it into. */
export const sftpGroupOf = ({ limits }: HostAccount): string =>
  limits.sftp ? sftpGroup : closedGroup

/** Where sshd reads the part for all accounts. */
export const sshdFile = '/etc/ssh/sshd_config.d/60-panel.conf'

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
