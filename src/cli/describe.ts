import { writeFileSync } from 'node:fs'
import { type BaseContext, Cli, type Definition } from 'clipanion'
import { buildCli } from './cli.ts'
import { allCommands } from './commands.ts'
import { named } from './panel-cli.ts'

// Generates the reference's page of commands: `npm run describe` writes it, a test compares.

export const file = 'docs/reference/command-line.md'

// Commands of the specification; those not implemented yet are listed at the end.
const planned: [command: string, purpose: string][] = [
  ['panel ctl info', 'shows version, server ID, license plan'],
  ['panel ctl reset-password', 'resets a password'],
  ['panel ctl disable-2fa', 'disables two-factor authentication'],
  ['panel ctl allow-ip', 'clears the IP allowlist when it locks the administrator out (`--clear`)'],
  ['panel ctl rebuild', 'regenerates web server and PHP configuration from the panel database'],
  ['panel ctl doctor', 'health check'],
  ['panel ctl support-bundle', 'produces a support bundle'],
  ['panel ctl dr-restore', 'disaster recovery'],
  ['panel update', 'installs an update'],
  ['panel rollback', 'undoes an update'],
]

const introduction = `# Command line

> The commands of \`panel\` for administrators on the server.

\`panel --help\` lists the commands, and \`panel COMMAND --help\` explains one with an example.
They work on the installed panel, or on the one that \`PANEL_STATE_DIR\` names.

Results go to standard output, everything else to standard error. The exit code is 0 when the
command is done, 1 when it was refused or has failed, and 2 when it was not understood. Passwords
and other secrets are prompted for or read from standard input, and are never arguments, since
\`ps\` shows those. Commands that destroy something ask for confirmation. Without a terminal on
standard input and standard error they are refused unless \`--yes\` is given.

On a terminal a table has the columns that fit, times are relative and ids may be cut: every
command accepts the first 8 characters of an id. A pipe gets everything in full, one line
per item; \`--json\` is for scripts. A refusal is then JSON too, a line on standard error with its
\`error\`, [\`reason\`](errors.md) and, if it is about one, \`field\`. Errors of
usage (2) are always plain text.
`

/** The whole page. */
export async function toPage(): Promise<string> {
  const plain = { ...Cli.defaultContext, env: { NO_COLOR: '1' } } as BaseContext
  const definitions = buildCli(plain, await allCommands()).definitions()
  const sections = Map.groupBy(definitions, ({ category = 'General' }) => category.trim())
  const missing = planned.filter(([command]) => definitions.every(({ path }) => path !== command))
  return [
    introduction,
    ...[...sections].map(([name, own]) => `## ${name}\n\n${own.map(toSection).join('\n')}`),
    ...(missing.length === 0 ? [] : [`## Not in this release yet\n\n${toList(missing)}`]),
  ].join('\n')
}

function toSection({ usage, description, details, options, examples }: Definition): string {
  const known = options.map(
    ({ definition, description: purpose = '', required }): [string, string] => [
      named(definition),
      `${purpose}${required ? ' (required)' : ''}`,
    ],
  )
  const shown = (examples ?? []).map(([label, line]) => `# ${label.trim()}\n${line}\n`)
  return [
    `### \`${named(usage)}\`\n`,
    `${toSentence(description)}\n`,
    ...(details === undefined ? [] : [`${details.trim().replaceAll(/ *\n(?!\n)/g, '\n')}\n`]),
    ...(known.length === 0 ? [] : [toList(known)]),
    `\`\`\`bash\n${shown.join('\n')}\`\`\`\n`,
  ].join('\n')
}

const toList = (items: [string, string][]): string =>
  items.map(([name, purpose]) => `- \`${name}\`: ${purpose}\n`).join('')

const toSentence = (text = ''): string => `${text.charAt(0).toUpperCase()}${text.slice(1).trim()}.`

if (import.meta.main) writeFileSync(file, await toPage())
