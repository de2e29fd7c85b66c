// Settings for systemd's journal. It gives each user a file of 8 MB with the first line logged
// under its number, and keeps it when the user is gone. PHP does not log there (php/unit.ts), but
// every SFTP session does, through the user's own systemd and sshd, and a cron job may.

export const journalFile = '/etc/systemd/journald.conf.d/50-panel.conf'

export const renderJournal = (): string => `# Written by the panel, which overwrites changes.
[Journal]
# Accounts' log lines go to the machine's single journal.
SplitMode=none
`
