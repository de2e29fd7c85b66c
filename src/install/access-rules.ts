// PostgreSQL's access rules for the panel's database, between two marker lines in a file that
// belongs to the cluster.

const begin = '# Of the panel, which overwrites changes: begin'
const end = '# Of the panel: end'
const roles = ['panel_owner', 'panel_api', 'panel_worker', 'panel_courier']

const named = roles.join(',')

/** The first matching rule decides, so these come before all others. */
export const hbaRules = (): string[] => [
  '# Each process of the panel by its user of the machine, and none over the network.',
  `local panel ${named} peer map=panel`,
  'local panel postgres peer',
  'local panel all reject',
  `local all ${named} reject`,
  'host panel all all reject',
  `host all ${named} all reject`,
]

/** Maps the machine's users to roles: root may use any. */
export const identRules = (): string[] => [
  ...roles.map(role => `panel root ${role}`),
  'panel panel-api panel_api',
  'panel panel-courier panel_courier',
]

/** Returns the text of a file with these rules first, or with none. */
export function withRules(text: string, rules: readonly string[]): string {
  const [own, rest] = [text.indexOf(`${begin}\n`), text.indexOf(`${end}\n`)]
  const others =
    own === -1 || rest < own ? text : text.slice(0, own) + text.slice(rest + end.length + 1)
  return rules.length === 0 ? others : [begin, ...rules, end, others].join('\n')
}
