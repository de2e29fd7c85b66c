import { z } from 'zod'
import { argument } from './completion/completers.ts'
import { shells, stubs } from './completion/stubs.ts'
import { PanelCommand } from './panel-command.ts'

const Words = z.object({ shell: z.enum(shells, `must be ${shells.join(', ')}`) })

export class CompletionCommand extends PanelCommand {
  static override summary = 'print a shell completion script'
  static override details = `
    For bash: \`source <(panel completion bash)\` in ~/.bashrc. For zsh, after compinit:
    \`source <(panel completion zsh)\` in ~/.zshrc. For fish: \`panel completion fish | source\`
    in ~/.config/fish/config.fish.
  `
  static override examples = { 'Print the script for bash': '$0 bash' }

  shell = argument('SHELL', shells)

  async perform(): Promise<void> {
    const { shell } = this.parse(Words)
    this.print(stubs[shell])
  }
}
