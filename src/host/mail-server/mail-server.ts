import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { PanelError } from '../../errors.ts'
import { log } from '../../log.ts'
import type { MailServer, MailServerHost } from '../../model/server/mail-server.ts'
import type { MailQueueHost } from '../../model/server/queue-changes.ts'
import { openUserFiles } from '../accounts/user-database.ts'
import type { Machine, SharedFile } from '../contract.ts'
import { mailQueueOf } from '../mail-hosting/queue.ts'
import { mailState, mailUser } from '../mail/paths.ts'
import { mailService } from '../mail/programs.ts'
import { fileDrift } from '../tools/file-drift.ts'
import {
  ensureFile,
  ensureFolder,
  ensureOwner,
  isThere,
  type Owner,
  readFile,
  removeFile,
} from '../tools/files.ts'
import { CommandError } from '../tools/run.ts'
import { prepareNginx } from '../web/nginx-prepare.ts'
import { makeOwnCertificate } from '../web/self-signed.ts'
import { mailDaemons } from './daemons.ts'
import { dovecotFiles } from './dovecot.ts'
import { writeMailHost } from './setup.ts'
import * as paths from './paths.ts'
import { listening, postfixFiles } from './postfix.ts'
import { rspamdFiles } from './rspamd.ts'
import { renderOutbound, submitDropIn, unitFiles } from './units.ts'

// Mail hosting of the server: on, with the name of its mail server, or off.

/** The operations that the worker calls for it. */
export const mailServerOf = (machine: Machine) =>
  ({
    ...mailQueueOf(machine),
    async setMailServer(mail) {
      const daemons = machine.part(mailDaemons)
      if (mail === null) {
        removeFile(machine.path(submitDropIn))
        if (isThere(machine.path(paths.ownedFile))) await daemons.stop()
        await answerMailPrograms(machine, null)
        return
      }
      requireOwned(machine)
      await ensureFolders(machine)
      await ensureLookUps(machine)
      await ensureCertificate(machine, mail)
      for (const { path, text } of await plainFiles(machine)) {
        makeFolder(machine, dirname(path))
        await ensureFile(machine.path(path), text, 0o644)
      }
      await writeChecked(machine, await checkedFiles(machine, mail))
      await startDaemons(machine)
      await machine.part(mailService).ensure()
      await answerMailPrograms(machine, mail)
    },
  }) satisfies MailServerHost & MailQueueHost

// Mail goes on without it, and the worker prepares nginx again when it starts.
async function answerMailPrograms(machine: Machine, mail: MailServer | null): Promise<void> {
  await writeMailHost(machine, mail)
  await prepareNginx(machine).catch((error: unknown) =>
    log.error('nginx does not answer mail programs', error),
  )
}

function requireOwned(machine: Machine): void {
  const missing = machine.part(mailDaemons).lack()
  if (missing.length > 0) {
    const words = `Missing on this server: ${missing.join(', ')}. Run panel mail enable`
    throw new PanelError('unavailable', words)
  }
  // A Postfix that the panel did not install is never changed.
  if (machine.tools.areRequired && !isThere(machine.path(paths.ownedFile))) {
    throw new PanelError(
      'unavailable',
      'The panel does not manage the mail server of this machine: run panel mail enable',
    )
  }
}

/** Returns the owner root with the group of a daemon; undefined where owners have no meaning. */
function groupOf(machine: Machine, group: string, user = 'root'): Owner | undefined {
  if (machine.files.owner(0, 0) === undefined) return undefined
  const files = openUserFiles(machine.path)
  const gid = Number(files.fields('group', group)?.[2])
  const uid = user === 'root' ? 0 : files.find(user)
  if (!Number.isInteger(gid) || uid === undefined) throw new Error(`There is no group ${group}`)
  return { uid, gid }
}

async function ensureFolders(machine: Machine): Promise<void> {
  const root = machine.files.owner(0, 0)
  const folders: [path: string, mode: number, owner: Owner | undefined][] = [
    [paths.mailData, 0o755, root],
    [paths.passwdFolder, 0o750, groupOf(machine, 'dovecot')],
    [paths.sieveFolder, 0o755, root],
    [paths.mailServerState, 0o755, root],
    [paths.dkimFolder, 0o700, groupOf(machine, '_rspamd', '_rspamd')],
    [paths.milterFolder, 0o750, groupOf(machine, 'postfix', '_rspamd')],
    [paths.mailboxFolder, 0o711, root],
    [dirname(paths.mailCertificateFile), 0o700, root],
    // Its unit makes it for the first message of a script, which there may never be.
    [mailState, 0o700, groupOf(machine, mailUser, mailUser)],
  ]
  for (const [path, mode, owner] of folders) {
    makeFolder(machine, dirname(path))
    ensureFolder(machine.path(path), mode, owner)
  }
}

// A folder of the system, which keeps its mode.
const makeFolder = (machine: Machine, path: string): void =>
  void mkdirSync(machine.path(path), { recursive: true, mode: 0o755 })

// The worker replaces them for each change of an account; they have to be there before.
async function ensureLookUps(machine: Machine): Promise<void> {
  const groups: Record<string, string> = {
    ...{ rates: mailUser, forwards: mailUser, 'script-domains': mailUser },
    ...{ 'from-domains': '_rspamd', 'dkim-selectors': '_rspamd' },
  }
  for (const name of paths.mapNames) {
    const owner = groupOf(machine, groups[name] ?? 'postfix')
    const location = machine.path(paths.mapFile(name))
    if (!isThere(location)) await ensureFile(location, '', 0o640, owner)
    ensureOwner(location, owner)
  }
  await machine.part(mailDaemons).compileMaps()
}

async function ensureCertificate(machine: Machine, { host }: MailServer): Promise<void> {
  const path = machine.path(paths.mailCertificateFile)
  if (isThere(path)) return
  const pem = await makeOwnCertificate(host, new Date())
  // Postfix wants the key first.
  const key = pem.indexOf('-----BEGIN PRIVATE KEY')
  await ensureFile(path, pem.slice(key) + pem.slice(0, key), 0o600)
}

const plainFiles = async (machine: Machine): Promise<SharedFile[]> => [
  { path: paths.outboundFile, text: renderOutbound() },
  ...unitFiles(machine),
]

async function checkedFiles(machine: Machine, { host }: MailServer): Promise<SharedFile[]> {
  const version = await machine.part(mailDaemons).dovecotVersion()
  return [...postfixFiles(host), ...dovecotFiles(version), ...rspamdFiles()]
}

/** Writes configuration, and puts the earlier one back if a daemon refuses it. */
async function writeChecked(machine: Machine, files: readonly SharedFile[]): Promise<void> {
  const before = files.map(({ path }) => ({ path, text: readFile(machine.path(path)) }))
  try {
    for (const { path, text } of files) {
      makeFolder(machine, dirname(path))
      await ensureFile(machine.path(path), text, 0o644)
    }
    await machine.part(mailDaemons).check()
  } catch (error) {
    for (const { path, text } of before) {
      if (text === undefined) removeFile(machine.path(path))
      else await ensureFile(machine.path(path), text, 0o644)
    }
    if (error instanceof CommandError) {
      const words = `The configuration of the mail server is refused: ${error.message}`
      throw new Error(words, { cause: error })
    }
    throw error
  }
}

// Starts the daemons, or restarts them if the addresses of Postfix or the limits of units have
// changed, which apply from a start. The file is written last, so that an interrupted one is
// repeated.
async function startDaemons(machine: Machine): Promise<void> {
  const daemons = machine.part(mailDaemons)
  const file = machine.path(paths.startedFile)
  const text = [listening, ...unitFiles(machine).map(one => one.text)].join('\n')
  await (readFile(file) === text ? daemons.start() : daemons.restart())
  await ensureFile(file, text, 0o644)
}

/** Returns how the files of mail hosting differ; nothing where it is off. */
export async function mailServerDrift(machine: Machine, mail: MailServer | null) {
  if (mail === null) return []
  const files = [...(await plainFiles(machine)), ...(await checkedFiles(machine, mail))]
  return files.flatMap(({ path, text }) => fileDrift(machine, path, text))
}
