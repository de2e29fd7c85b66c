import { rmSync } from 'node:fs'
import type { Host } from '../../model/server/host.ts'
import { openRelay, type OpenRelay, type SealedRelay } from '../../model/server/mail-relay.ts'
import { openUserFiles } from '../accounts/user-database.ts'
import type { Machine } from '../contract.ts'
import { agrees, ensureFile, isThere, removeFile } from '../tools/files.ts'
import { mailFolder, mailOwner, mailState, relayFile, relayPasswordFile } from './paths.ts'

/** The relay of a machine's mail service. */
export const mailRelayOf = (machine: Machine, readKey: () => Buffer) =>
  ({
    async setMailRelay(sealed) {
      const files = filesOf(sealed === null ? null : openRelay(sealed, readKey()))
      const owner = mailOwner(machine, openUserFiles(machine.path))
      // The relay is written last and removed first: it never goes with another one's password.
      for (const { path, text } of files.toReversed()) {
        if (text !== undefined) await ensureFile(machine.path(path), text, mode, owner)
      }
      for (const { path, text } of files) {
        if (text === undefined) removeFile(machine.path(path))
      }
      await machine.sync(mailFolder)
      // A new relay is tried at once, even if the former one did not answer.
      rmSync(machine.path(`${mailState}/resting`), { force: true })
    },
  }) satisfies Partial<Host>

const mode = 0o640

/** Returns the files of a machine's relay that differ. */
export function relayDrift(machine: Machine, sealed: SealedRelay | null, key: Buffer): string[] {
  const owner = mailOwner(machine, openUserFiles(machine.path))
  return filesOf(sealed === null ? null : openRelay(sealed, key)).flatMap(({ path, text }) => {
    const location = machine.path(path)
    const isSo = text === undefined ? !isThere(location) : agrees(location, text, mode, owner)
    return isSo ? [] : [path]
  })
}

/** Returns the files of a relay; those without a text must not exist. */
function filesOf(relay: OpenRelay | null): { path: string; text: string | undefined }[] {
  const password = relay?.password ?? undefined
  return [
    { path: relayFile, text: relay === null ? undefined : renderRelay(relay) },
    { path: relayPasswordFile, text: password === undefined ? undefined : `${password}\n` },
  ]
}

// msmtp waits this long for the connection and each answer of the relay.
const timeoutS = 8

/**
 * Renders a relay for msmtp (msmtp(1), configuration files). Its grammar keeps line breaks and
 * quotation marks out of the values.
 */
export function renderRelay({ host, port, tls, user, password, from_domain }: OpenRelay): string {
  // msmtp sends a password in clear text only if the method is named.
  const method = tls === 'none' ? 'plain' : 'on'
  const login =
    user === null || password === null
      ? 'auth off\n'
      : `auth ${method}\nuser "${user}"\npasswordeval "cat ${relayPasswordFile}"\n`
  const encryption =
    tls === 'none' ? 'tls off\n' : `tls on\ntls_starttls ${tls === 'starttls' ? 'on' : 'off'}\n`
  return `# Written by the panel, which overwrites changes.
account panel
host ${host}
port ${port}
timeout ${timeoutS}
domain ${from_domain}
${encryption}${login}`
}
