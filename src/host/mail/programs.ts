import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { hasKernel } from '../accounts/user-processes.ts'
import { openUserFiles } from '../accounts/user-database.ts'
import type { Drift, Machine, MachinePart, SharedFile } from '../contract.ts'
import { fileDrift } from '../tools/file-drift.ts'
import { ensureFile, ensureFolder, isFolderSo, isThere } from '../tools/files.ts'
import { socketGroup } from '../mail-server/paths.ts'
import { launch, type Launched } from '../tools/run.ts'
import {
  mailAccounts,
  mailFolder,
  mailOwner,
  mailPhpFolder,
  mailSocketFolder,
  mailState,
  mailUser,
  sendmailPath,
} from './paths.ts'

// The programs of the mail service. They are in Perl, whose base package every Debian has: it can
// ask the kernel for the user on the other end of a socket, which Node cannot, and starts within
// milliseconds for each message.

const programs = ['sendmail', 'submit', 'rates', 'filter'] as const
const libraries = ['message', 'count', 'smtp'] as const

/** Returns the programs as they are on the machine; what they share keeps its ending. */
export const mailPrograms = (): SharedFile[] => [
  ...programs.map(name => ({ path: `${mailFolder}/${name}`, text: readProgram(name) })),
  ...libraries.map(name => ({ path: `${mailFolder}/${name}.pl`, text: readProgram(name) })),
  { path: `${mailPhpFolder}/mail.ini`, text: `sendmail_path = "${sendmailPath}"\n` },
]

const readProgram = (name: string): string =>
  readFileSync(join(import.meta.dirname, `${name}.pl`), 'utf8')

/** Returns how the programs and folders differ. */
export function mailDrift(machine: Machine): Drift[] {
  if (!isThere(machine.path(mailFolder))) return [{ sentence: 'the mail service is missing' }]
  const files = mailPrograms().flatMap(({ path, text }) => fileDrift(machine, path, text))
  return isClosed(machine) ? files : [...files, { sentence: `the folder ${mailAccounts} differs` }]
}

function isClosed(machine: Machine): boolean {
  try {
    const owner = mailOwner(machine, openUserFiles(machine.path))
    return isFolderSo(machine.path(mailAccounts), 0o750, owner)
  } catch {
    return false // There is no group.
  }
}

/** Makes the mail service ready to start. */
export async function ensureMail(machine: Machine): Promise<void> {
  await machine.users.ensureSystemUser(mailUser)
  ensureFolder(machine.path(mailFolder), 0o755, machine.files.owner(0, 0))
  ensureFolder(machine.path(mailPhpFolder), 0o755, machine.files.owner(0, 0))
  const owner = mailOwner(machine, openUserFiles(machine.path))
  ensureFolder(machine.path(mailAccounts), 0o750, owner)
  for (const { path, text } of mailPrograms()) await ensureFile(machine.path(path), text, 0o644)
  await machine.part(mailService).ensure()
}

const toNumber = (field: string | undefined) => (field === undefined ? undefined : Number(field))

type MailService = { ensure(): Promise<void> }

/** systemd has the units of the installer. Without it, the service runs below the worker. */
export const mailService: MachinePart<MailService> = {
  linux(machine) {
    let running: Launched | undefined
    // The group of Postfix's sockets, which there is once Postfix is installed.
    let further: number | undefined
    const isUp = () => running?.exitCode === null && running.signalCode === null
    return {
      async ensure() {
        if (!hasKernel(machine) || isThere(machine.path('/run/systemd/system'))) return
        const files = openUserFiles(machine.path)
        const sockets = files.fields('group', socketGroup)?.[2]
        if (isUp() && further === toNumber(sockets)) return
        further = toNumber(sockets)
        running?.kill()
        const [uid, gid] = [files.find(mailUser), mailOwner(machine, files)?.gid]
        if (uid === undefined || gid === undefined) throw new Error(`There is no user ${mailUser}`)
        for (const folder of [mailState, mailSocketFolder]) {
          const mode = folder === mailState ? 0o700 : 0o755
          ensureFolder(machine.path(folder), mode, { uid, gid })
        }
        const command = ['perl', `${mailFolder}/submit`, `${mailSocketFolder}/submit.sock`] as const
        running = launch(command, { PATH: '/usr/bin:/bin' }, uid, gid, further)
        running.on('error', () => {})
        running.stdin.end()
        // It ends with the worker, which it must not keep from ending.
        running.unref()
        for (const output of [running.stdout, running.stderr]) {
          output.resume()
          ;(output as Socket).unref()
        }
      },
    }
  },
  sandbox: () => ({ ensure: async () => {} }),
}
