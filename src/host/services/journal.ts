import { existsSync, rmSync, writeFileSync } from 'node:fs'
import type { Machine } from '../contract.ts'
import { agrees } from '../tools/files.ts'

// systemd's journal gives each user a file of its own, of 8 MB, with the first line that is said
// under its number, and keeps it when the user is gone. PHP says nothing there (php/unit.ts), but
// every SFTP session does, by the user's own systemd and by sshd, and a cron job may.

export const journalFile = '/etc/systemd/journald.conf.d/50-panel.conf'

export const renderJournal = (): string => `# Written by the panel, which overwrites changes.
[Journal]
# All that accounts say is in the one journal of the machine.
SplitMode=none
`

/** Is there while the journal may not have read its file; gone with a restart of the machine. */
const unread = '/run/panel/journal.unread'

/** To be called before the file is written. */
export function noteUnreadJournal({ path }: Machine): void {
  if (!agrees(path(journalFile), renderJournal(), 0o644)) writeFileSync(path(unread), '')
}

/** Has the journal read its file, if it may not have; what is said meanwhile waits for it. */
export async function readJournalFile({ path, run }: Machine): Promise<void> {
  if (!existsSync(path(unread))) return
  await run('systemctl', ['restart', '--', 'systemd-journald.service'])
  rmSync(path(unread), { force: true })
}
