import {
  type Argument,
  type CommandOption,
  pathsOf,
  type Place,
  type Suggestion,
} from './places.ts'

/** The script that zsh completes by (zshcompsys(1)). */
export const zsh = (places: Place[]): string => `\
#compdef panel
# Completion of panel for zsh, made by: panel completion zsh
_panel() {
  local at='' file='' i
  local -a next own
  for ((i = 2; i < CURRENT; i++)); do
    case "$at $words[i]" in
      (${pattern(pathsOf(places))}) at+=" $words[i]" ;;
      (*) break ;;
    esac
  done
  case "$at $words[CURRENT-1]" in
${places.flatMap(place => place.options.map(option => valueOf(place, option))).join('')}\
  esac
  case "$at" in
${places.map(wordsOf).join('')}\
  esac
  if [[ $words[CURRENT] != -* ]]; then
    [[ -z $file ]] || { _files; return }
    (($#next == 0)) || { _describe word next; return }
  fi
  _describe -o option own
}
compdef _panel panel
`

const pattern = (texts: string[]): string => texts.map(quoted).join('|')

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

// The names and ids that the panel has now.
const asked = (kind: string): string => {
  const words = `panel completion words ${kind} -- "$PREFIX" "$words[CURRENT-1]" 2>/dev/null`
  return `compadd -- \${(f)"$(${words})"}`
}

function valueOf({ path }: Place, { names, values, live, isFile }: CommandOption): string {
  if (values === null) return ''
  const fixed = values.length === 0 ? '_message value' : `compadd -- ${values.join(' ')}`
  const added = live === undefined ? fixed : asked(live)
  const said = pattern(names.map(name => `${path} ${name}`))
  return `    (${said}) ${isFile ? '_files' : added}; return ;;\n`
}

function wordsOf({ path, next, options }: Place): string {
  const own = options.map(({ names, description }) => ({ word: names.at(-1) ?? '', description }))
  const lines = [...next.flatMap(linesOf), `own=(${list(own)})`]
  return `    (${quoted(path)})\n${lines.map(line => `      ${line}\n`).join('')}      ;;\n`
}

function linesOf({ words, live, isFile }: Argument, position: number): string[] {
  const isHere = `((CURRENT == i${position === 0 ? '' : ` + ${position}`}))`
  return [
    ...(words.length === 0 ? [] : [`${isHere} && next=(${list(words)})`]),
    ...(isFile ? [`${isHere} && file=1`] : []),
    ...(live === undefined
      ? []
      : [`${isHere} && [[ $PREFIX != -* ]] && { ${asked(live)}; return }`]),
  ]
}

const list = (suggestions: Suggestion[]): string =>
  suggestions
    .map(({ word, description }) => quoted(`${word}:${description.replaceAll(':', '\\:')}`))
    .join(' ')
