import type { HostAccount } from '../../model/accounts/host-account.ts'
import { isKnown, membersOf } from '../accounts/user-database.ts'
import { endSessions } from '../accounts/user-processes.ts'
import type { Machine, Resource } from '../contract.ts'
import { fileDrift } from '../tools/file-drift.ts'
import { ensureFile, isThere, removeFile } from '../tools/files.ts'
import { whyDown } from '../services/not-running.ts'

/** Members may log in by SFTP, into their home and nothing else. */
export const sftpGroup = 'panel-sftp'

/** Members may not log in at all: even without a shell, a session could request tunnels. */
export const closedGroup = 'panel-closed'

/**
 * Owned by root: one file for each account whose user may log in with a key, named by user number,
 * so that the next account with the same name does not inherit it.
 */
const keysFolder = '/etc/panel/keys'

/** SFTP access: whether the account's package allows it, and the keys to log in with. */
export const sftp: Resource = {
  name: 'sftp',
  whyDown: whyDown('ssh'),
  async ensure(machine, account) {
    const { users, services } = machine
    await ensureKeys(machine, account)
    await users.join(account, sftpGroupOf(account))
    if (account.limits.sftp) {
      await users.removeFromGroup(account, closedGroup)
      return services.check('ssh')
    }
    await users.removeFromGroup(account, sftpGroup)
    // sshd checks only at login.
    await endSessions(machine, account)
  },
  remove: removeKeys,
  drift(machine, users) {
    const groups = [sftpGroup, closedGroup].map(group => ({
      group,
      members: new Set(membersOf(users.fields('group', group))),
    }))
    return account => {
      if (!isKnown(users, account)) return []
      const isMember = (group: string) => group === sftpGroupOf(account)
      const differing = groups
        .filter(({ group, members }) => members.has(account.username) !== isMember(group))
        .map(({ group }) => `the membership in ${group} differs`)
      const [keys, file] = [renderKeys(account), fileOf(account)]
      const isNone = keys === '' && !isThere(machine.path(file))
      return isNone ? differing : [...differing, ...fileDrift(machine, file, keys)]
    }
  },
}

// Ends sessions that use a removed key, once no new session can use it.
async function ensureKeys(machine: Machine, account: HostAccount): Promise<void> {
  const keys = renderKeys(account)
  // sshd reads the file as the user.
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

// Keys are stored without options: `command` and the like are not for customers.
const renderKeys = ({ sftpKeys }: HostAccount): string =>
  sftpKeys
    .filter(({ isDeleting }) => !isDeleting)
    .map(({ key }) => `${key}\n`)
    .join('')

/** Returns which of the two groups the account's package puts it into. */
export const sftpGroupOf = ({ limits }: HostAccount): string =>
  limits.sftp ? sftpGroup : closedGroup

/** The file in which sshd reads the panel's settings for all accounts. */
export const sshdFile = '/etc/ssh/sshd_config.d/60-panel.conf'

/** Renders the sshd settings for all accounts; none of them is specific to one account. */
export const renderSshd = (): string => `# Written by the panel, which overwrites changes.
DenyGroups ${closedGroup}

Match Group ${sftpGroup}
    ChrootDirectory /home/%u
    ForceCommand internal-sftp -d /files -u 0027 -l INFO
    AuthorizedKeysFile /etc/panel/keys/%U
    # Images of cloud providers disable it for everyone.
    PasswordAuthentication yes
    AllowTcpForwarding no
    AllowStreamLocalForwarding no
    AllowAgentForwarding no
    X11Forwarding no
    PermitTunnel no
    PermitTTY no
`
