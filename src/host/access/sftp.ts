import type { HostAccount } from '../../model/accounts/host-account.ts'
import { isKnown, membersOf } from '../accounts/user-database.ts'
import { endSessions } from '../accounts/user-processes.ts'
import type { Machine, Resource } from '../contract.ts'
import { fileDrift } from '../tools/file-drift.ts'
import { ensureFile, isThere, removeFile } from '../tools/files.ts'

/** Who is in this group may log in by SFTP, into the home and nothing else. */
export const sftpGroup = 'panel-sftp'

/** Who is in this one may not log in at all: without a shell one can still ask for tunnels. */
export const closedGroup = 'panel-closed'

/** Root's own: a file for each account whose user may log in with a key, by its number, so that no
 * name's next owner inherits it. */
const keysFolder = '/etc/panel/keys'

/** Who logs in by SFTP: by the account's package, and with which keys. */
export const sftp: Resource = {
  name: 'sftp',
  async ensure(machine, account) {
    const { users, services } = machine
    await ensureKeys(machine, account)
    await users.join(account, sftpGroupOf(account))
    if (account.limits.sftp) {
      await users.leave(account, closedGroup)
      return services.look('ssh')
    }
    await users.leave(account, sftpGroup)
    // sshd asks only at the login.
    await endSessions(machine, account)
  },
  remove: removeKeys,
  look(machine, users) {
    const groups = [sftpGroup, closedGroup].map(group => ({
      group,
      members: new Set(membersOf(users.fields('group', group))),
    }))
    return account => {
      if (!isKnown(users, account)) return []
      const isMember = (group: string) => group === sftpGroupOf(account)
      const strange = groups
        .filter(({ group, members }) => members.has(account.username) !== isMember(group))
        .map(({ group }) => `the membership in ${group} differs`)
      const [keys, file] = [renderKeys(account), fileOf(account)]
      const isNone = keys === '' && !isThere(machine.path(file))
      return isNone ? strange : [...strange, ...fileDrift(machine, file, keys)]
    }
  },
}

// Who has logged in by a key that leaves is shown out, after nobody comes in by it any more.
async function ensureKeys(machine: Machine, account: HostAccount): Promise<void> {
  const keys = renderKeys(account)
  // sshd reads it as the user.
  if (keys !== '') await ensureFile(machine.path(fileOf(account)), keys, 0o644)
  else await removeKeys(machine, account)
  const isAnyDeleting = account.sftpKeys.some(({ isDeleting }) => isDeleting)
  if (isAnyDeleting) await endSessions(machine, account)
}

async function removeKeys(machine: Machine, account: HostAccount): Promise<void> {
  const file = machine.path(fileOf(account))
  if (!isThere(file)) return
  removeFile(file)
  await machine.sync(keysFolder)
}

const fileOf = ({ uid }: HostAccount): string => `${keysFolder}/${uid}`

// As they are kept: with no options, of which `command` and its like are no customer's.
const renderKeys = ({ sftpKeys }: HostAccount): string =>
  sftpKeys
    .filter(({ isDeleting }) => !isDeleting)
    .map(({ key }) => `${key}\n`)
    .join('')

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
