import { type CommandOption, pathsOf, type Place } from './places.ts'

/** The script that fish completes by (complete(1) of fish). */
export const fish = (places: Place[]): string => `\
# Completion of panel for fish, made by: panel completion fish
function __panel_at
    set -l at ''
    set -l words (commandline -opc)
    set -e words[1]
    for word in $words
        switch "$at $word"
            case ${pathsOf(places).map(quoted).join(' ')}
                set at "$at $word"
            case '*'
                break
        end
    end
    test "$at" = "$argv[1]"
end
complete -c panel -f
${places.flatMap(linesOf).join('\n')}
`

function linesOf(place: Place): string[] {
  const here = `complete -c panel -n ${quoted(`__panel_at ${quoted(place.path)}`)}`
  return [
    ...place.next.map(
      ({ word, description }) => `${here} -a ${quoted(word)} -d ${quoted(description)}`,
    ),
    ...(place.live === undefined ? [] : [`${here} -a ${quoted(asked(place.live))}`]),
    ...(place.isFile ? [`${here} -F`] : []),
    ...place.options.map(option => `${here} ${toFlags(option)} -d ${quoted(option.description)}`),
  ]
}

// The names and ids that the panel has now.
const asked = (kind: string): string =>
  `(panel completion words ${kind} (commandline -ct) 2>/dev/null)`

function toFlags({ names, values, live, isFile }: CommandOption): string {
  const flags = names.map(name =>
    name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
  )
  if (values === null) return flags.join(' ')
  const added = live === undefined ? values.join(' ') : asked(live)
  return `${flags.join(' ')} ${isFile ? '-r -F' : `-x -a ${quoted(added)}`}`
}

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
