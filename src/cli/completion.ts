import { Option } from 'clipanion'
import { z } from 'zod'
import { buildCli } from './cli.ts'
import { allCommands } from './commands.ts'
import { bash } from './completion/bash.ts'
import { fish } from './completion/fish.ts'
import { placesOf, shells } from './completion/places.ts'
import { zsh } from './completion/zsh.ts'
import { PanelCommand } from './panel-command.ts'

const Words = z.object({ shell: z.enum(shells, `must be ${shells.join(', ')}`) })

const scripts = { bash, zsh, fish }

export class CompletionCommand extends PanelCommand {
  static override summary = 'print a script that completes the words of panel in a shell'
  static override details = `
    For bash: \`source <(panel completion bash)\` in ~/.bashrc. For zsh, after compinit:
    \`source <(panel completion zsh)\` in ~/.zshrc. For fish: \`panel completion fish | source\`
    in ~/.config/fish/config.fish.
  `
  static override examples = { 'Print the script of bash': '$0 bash' }

  shell = Option.String({ name: 'SHELL' })

  async perform(): Promise<void> {
    const { shell } = this.parse(Words)
    const cli = buildCli(this.context, await allCommands())
    this.print(scripts[shell](placesOf(cli.definitions())))
  }
}
