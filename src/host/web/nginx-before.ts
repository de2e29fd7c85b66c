import { z } from 'zod'
import type { Machine } from '../contract.ts'
import { webServer } from '../accounts/users.ts'
import { ensureFile, ensureLink, isThere, readFile, targetOf } from '../tools/files.ts'
import { ownFile, userDirective, userIn } from './nginx.ts'

// The configuration of the machine's own nginx before the panel, for the uninstaller.

const noteFile = '/var/lib/panel/nginx-before.json'

const note = z.object({
  /** The directive that sets the user of nginx's workers; null if there was none. */
  user: z.string().nullable(),
  /** Whether Debian's welcome page was enabled. */
  hasWelcome: z.boolean(),
})

/** Debian's own website, unless it was replaced by another. */
export const welcome = {
  link: '/etc/nginx/sites-enabled/default',
  target: '/etc/nginx/sites-available/default',
} as const

/** Returns whether Debian's welcome page is enabled. */
export const hasWelcome = (machine: Machine): boolean =>
  targetOf(machine.path(welcome.link)) === welcome.target

/** Records it once, before anything of it is changed. */
export async function noteBefore(machine: Machine): Promise<void> {
  const file = machine.path(noteFile)
  if (isThere(file)) return
  const own = readFile(machine.path(ownFile)) ?? ''
  // Already changed: the earlier state is unknown.
  if (userIn(own) === webServer) return
  const before = { user: userDirective(own), hasWelcome: hasWelcome(machine) }
  await ensureFile(file, JSON.stringify(before satisfies z.infer<typeof note>), 0o644)
}

/**
 * Restores nginx's earlier configuration, as far as it was recorded and has not been changed since.
 */
export async function restoreNginx(machine: Machine): Promise<void> {
  const noted = readFile(machine.path(noteFile))
  const unknown = { user: 'user www-data;', hasWelcome: false }
  const before = noted === undefined ? unknown : note.parse(JSON.parse(noted))
  const own = readFile(machine.path(ownFile))
  if (own !== undefined && userIn(own) === webServer) {
    const text =
      before.user === null
        ? own.replace(`${userDirective(own)}\n`, '')
        : own.replace(userDirective(own) ?? '', before.user)
    await ensureFile(machine.path(ownFile), text, 0o644)
  }
  const isPossible = isThere(machine.path(welcome.target)) && !isThere(machine.path(welcome.link))
  // Not made in its own folder, all of which nginx reads.
  const fresh = machine.path('/etc/nginx/panel-welcome')
  if (before.hasWelcome && isPossible) {
    ensureLink(machine.path(welcome.link), welcome.target, { fresh })
  }
}
