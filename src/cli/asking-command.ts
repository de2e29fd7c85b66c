import { Option } from 'clipanion'
import { DatabaseCommand } from './database-command.ts'
import { confirm } from './terminal-questions.ts'

/** A command that destroys something: it asks for confirmation, and needs --yes in a script. */
export abstract class AskingCommand extends DatabaseCommand {
  yes = Option.Boolean('--yes', false, { description: 'do not prompt' })

  /** @throws {PanelError} `invalid`, unless the answer is yes; also without a terminal */
  protected async ask(sentence: string): Promise<void> {
    if (!this.yes) await confirm(this.context, sentence)
  }
}
