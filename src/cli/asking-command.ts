import { Option } from 'clipanion'
import { DatabaseCommand } from './database-command.ts'
import { confirm, isTerminal } from './terminal-questions.ts'

/** A command that destroys something: it asks for confirmation at a terminal, never in a script. */
export abstract class AskingCommand extends DatabaseCommand {
  yes = Option.Boolean('--yes', false, { description: 'ask nothing' })

  /** @throws {PanelError} `invalid`, unless the answer is yes */
  protected async ask(sentence: string): Promise<void> {
    if (!this.yes && isTerminal(this.context)) await confirm(this.context, sentence)
  }
}
