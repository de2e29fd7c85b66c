// systemd's journal gives each user a file of its own, of 8 MB, with the first line that is said
// under its number, and keeps it when the user is gone. PHP says nothing there (php/unit.ts), but
// every SFTP session does, by the user's own systemd and by sshd, and a cron job may.

export const journalFile = '/etc/systemd/journald.conf.d/50-panel.conf'

export const renderJournal = (): string => `# Written by the panel, which overwrites changes.
[Journal]
# All that accounts say is in the one journal of the machine.
SplitMode=none
`
