import type { Suggestion } from './complete.ts'

// The scripts that shells complete by: each asks `panel completion words` with the whole line.

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

/** The way a shell's script reads a suggestion. */
export const lineOf: Record<Shell, (suggestion: Suggestion) => string> = {
  bash: ({ word }) => word,
  zsh: ({ word, description }) => `${word.replaceAll(':', '\\:')}:${description}`,
  fish: ({ word, description }) => (description === '' ? word : `${word}\t${description}`),
}

export const stubs: Record<Shell, string> = {
  // bash(1), Programmable Completion
  bash: `\
# Completion of panel for bash, made by: panel completion bash
_panel() {
  mapfile -t COMPREPLY < \\
    <(panel completion words bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  [[ \${COMPREPLY[0]-} == :files ]] || return 0
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}")
}
complete -F _panel panel
`,
  // zshcompsys(1)
  zsh: `\
#compdef panel
# Completion of panel for zsh, made by: panel completion zsh
_panel() {
  local -a before found
  before=("\${(@)words[2,CURRENT-1]}")
  found=("\${(@f)$(panel completion words zsh -- "$before[@]" "$PREFIX" 2>/dev/null)}")
  case $found[1] in
    (:files) _files ;;
    (?*) _describe word found ;;
  esac
}
compdef _panel panel
`,
  // complete(1) of fish
  fish: `\
# Completion of panel for fish, made by: panel completion fish
function __panel_words
    set -l before (commandline -opc)
    set -l start (commandline -ct)
    set -l found (panel completion words fish -- $before[2..] "$start" 2>/dev/null)
    if test "$found[1]" = :files
        __fish_complete_path "$start"
    else
        printf '%s\\n' $found
    end
end
complete -c panel -f -a '(__panel_words)'
`,
}
