import { Option } from 'clipanion'
import { DatabaseCommand } from './database-command.ts'
import { confirm, isTerminal } from './terminal-questions.ts'

/**
 * A command that takes away what cannot be got back. Whoever sits at a terminal is asked before; a
 * script has been asked by whoever wrote it.
 */
export abstract class AskingCommand extends DatabaseCommand {
  yes = Option.Boolean('--yes', false, { description: 'ask nothing' })

  /** @throws {PanelError} `invalid`, where somebody who is asked does not say yes */
  protected async ask(sentence: string): Promise<void> {
    if (!this.yes && isTerminal(this.context)) await confirm(this.context, sentence)
  }
}
