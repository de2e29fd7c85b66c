import type { CommandClass } from 'clipanion'
import type { PanelCommand } from './panel-command.ts'

// Every command, in the order of the help: the names below each group, by the category. Its name is
// the path of its file: `account suspend` is the class that account/suspend.ts exports.
const categories = {
  General: { '': 'start completion' },
  Installation: { '': 'install update rollback uninstall' },
  Server: {
    ctl:
      'info reset-password disable-2fa demand-2fa allow-ip support-contact rebuild doctor ' +
      'support-bundle dr-restore emit',
  },
  Backups: {
    backup: 'create ls verify',
    'account-backup': 'create ls show files restore restore-ls',
    'account-backup target': 'ls add set test rm',
  },
  Hosting: {
    account: 'ls show create suspend unsuspend set-package set-password set-email terminate login',
    site: 'ls show add rm set recheck logs statistics',
    'shared-parent': 'ls add rm',
    'web trusted-proxies': 'ls add set rm',
    php: 'ls default install',
    mail: 'enable disable queue',
    'mail queue': 'retry delete',
    'mail relay': 'show set rm',
    'mail domain': 'ls show add set check rm',
    'mail mailbox': 'ls add set password rm',
    'mail alias': 'ls set rm',
    'sftp-key': 'ls add rm',
    cron: 'ls add set rm run',
    database: 'ls add rm user password size optimize import export',
    package: 'set rm ls show',
  },
  People: { user: 'add ls', reseller: 'ls show set suspend unsuspend' },
  Tokens: { token: 'create ls revoke' },
  Webhooks: { webhook: 'add ls set test deliveries redeliver secret rm' },
  Jobs: { jobs: 'ls show retry cancel pause resume stats watch' },
  License: { license: 'show install' },
  Hidden: { completion: 'words' },
}

const names = new Map(
  Object.entries(categories).flatMap(([category, groups]) =>
    Object.entries(groups).flatMap(([group, last]) =>
      last.split(' ').map(word => [`${group} ${word}`.trim(), category] as const),
    ),
  ),
)

/** The names of the commands that help shows. */
export const commandNames = [...names].flatMap(([name, category]) =>
  category === 'Hidden' ? [] : [name],
)

type Loaded = CommandClass & Pick<typeof PanelCommand, 'summary' | 'details' | 'examples'>

// Each command is loaded alone: loading all of them takes several times as long.
/** Loads a command by its name. */
export async function load(name: string): Promise<CommandClass> {
  const file = (await import(`./${name.replaceAll(' ', '/')}.ts`)) as Record<string, Loaded>
  const command = Object.values(file)[0]!
  command.paths = [name.split(' ')]
  const { summary: description, details, examples: lines } = command
  if (description === '') return command
  const examples = Object.entries(lines).map(([label, line]): [string, string] => [
    label,
    line.replace('$0', `$0 ${name}`),
  ])
  const category = names.get(name)!
  command.usage = { category, description, examples, ...(details === '' ? {} : { details }) }
  return command
}

/** Loads every command, in the order of the help. */
export const allCommands = (): Promise<CommandClass[]> => Promise.all([...names.keys()].map(load))

/** Loads the command that a command line begins with; all of them if it is none. */
export async function commandsFor(words: readonly string[]): Promise<CommandClass[]> {
  // Clipanion answers these itself.
  if (words.length === 1 && ['--version', '-v'].includes(words[0]!)) return []
  const line = `${words.join(' ')} `
  // The last is the longest: `completion words` is below `completion`.
  const named = [...names.keys()].findLast(name => line.startsWith(`${name} `))
  return named === undefined ? allCommands() : [await load(named)]
}

/**
 * The words as they were meant: `help jobs ls` and `jobs help ls` are `jobs ls --help`, `job ls` is
 * `jobs ls`, and `version` is `--version`.
 */
export function meant(words: readonly string[]): string[] {
  const [first = '', ...rest] = words
  if (first === 'help') return [...meant(rest.filter(word => word !== '--help')), '--help']
  if (rest[0] === 'help') return meant(['help', first, ...rest.slice(1)])
  if (first === 'version' && rest.length === 0) return ['--version']
  const groups = [...names.keys()].map(name => name.split(' ')[0])
  const other = first.endsWith('s') ? first.slice(0, -1) : `${first}s`
  return !groups.includes(first) && groups.includes(other) ? [other, ...rest] : [...words]
}
