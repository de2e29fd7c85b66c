import { type Argument, type CommandOption, pathsOf, type Place } from './places.ts'

/** The script that bash completes by (bash(1), Programmable Completion). */
export const bash = (places: Place[]): string => `\
# Completion of panel for bash, made by: panel completion bash
_panel() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]}
  local at='' words='' file='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
      ${pattern(pathsOf(places))}) at+=" \${COMP_WORDS[i]}" ;;
      *) break ;;
    esac
  done
  case "$at $prev" in
${places.flatMap(place => place.options.map(option => valueOf(place, option))).join('')}\
    *)
      case "$at" in
${places.map(wordsOf).join('')}\
      esac
      ;;
  esac
  if [[ $file && $cur != -* ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
  else
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
  fi
}
complete -F _panel panel
`

const pattern = (texts: string[]): string => texts.map(text => `'${text}'`).join('|')

function valueOf({ path }: Place, { names, values, live, isFile }: CommandOption): string {
  if (values === null) return ''
  const fixed = `words='${values.join(' ')}'`
  const said = isFile ? 'file=1' : live === undefined ? fixed : `words=${asked(live)}`
  return `    ${pattern(names.map(name => `${path} ${name}`))}) ${said} ;;\n`
}

// The names and ids that the panel has now.
const asked = (kind: string): string =>
  `$(panel completion words ${kind} -- "$cur" "$prev" 2>/dev/null)`

function wordsOf({ path, next, options }: Place): string {
  const own = options.flatMap(({ names }) => names.at(-1) ?? []).join(' ')
  return `        '${path}') words='${own}'${next.map(argumentOf).join('')} ;;\n`
}

function argumentOf({ words, live, isFile }: Argument, position: number): string {
  const isHere = `; ((COMP_CWORD == i${position === 0 ? '' : ` + ${position}`}))`
  const fixed = words.map(({ word }) => word).join(' ')
  return (
    (fixed === '' ? '' : `${isHere} && words+=' ${fixed}'`) +
    (live === undefined ? '' : `${isHere} && [[ $cur != -* ]] && words+=" ${asked(live)}"`) +
    (isFile ? `${isHere} && file=1` : '')
  )
}
