import { type CommandOption, pathsOf, type Place } from './places.ts'

/** The script that fish completes by (complete(1) of fish). */
export const fish = (places: Place[]): string => `\
# Completion of panel for fish, made by: panel completion fish
function __panel_at
    set -l at ''
    set -l words (commandline -opc)
    set -e words[1]
    while set -q words[1]
        switch "$at $words[1]"
            case ${pathsOf(places).map(quoted).join(' ')}
                set at "$at $words[1]"
                set -e words[1]
            case '*'
                break
        end
    end
    # How many words may have followed, where that is said.
    test "$at" = "$argv[1]"; and begin
        not set -q argv[2]; or test (count $words) = "$argv[2]"
    end
end
complete -c panel -f
${places.flatMap(linesOf).join('\n')}
`

function linesOf({ path, next, options }: Place): string[] {
  const here = (more = '') => `complete -c panel -n ${quoted(`__panel_at ${quoted(path)}${more}`)}`
  return [
    ...next.flatMap(({ words, live, isFile }, position) => [
      ...words.map(
        ({ word, description }) =>
          `${here(` ${position}`)} -a ${quoted(word)} -d ${quoted(description)}`,
      ),
      ...(live === undefined ? [] : [`${here(` ${position}`)} -a ${quoted(asked(live))}`]),
      ...(isFile ? [`${here(` ${position}`)} -F`] : []),
    ]),
    ...options.map(option => `${here()} ${toFlags(option)} -d ${quoted(option.description)}`),
  ]
}

// The names and ids that the panel has now.
const asked = (kind: string): string =>
  `(panel completion words ${kind} -- (commandline -ct) (commandline -opc)[-1] 2>/dev/null)`

function toFlags({ names, values, live, isFile }: CommandOption): string {
  const flags = names.map(name =>
    name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
  )
  if (values === null) return flags.join(' ')
  const added = live === undefined ? values.join(' ') : asked(live)
  return `${flags.join(' ')} ${isFile ? '-r -F' : `-x -a ${quoted(added)}`}`
}

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
