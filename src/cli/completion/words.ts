import { Option } from 'clipanion'
import { z } from 'zod'
import { kinds, listWords } from '../../model/known-words.ts'
import { DatabaseCommand } from '../database-command.ts'

const Words = z.object({ kind: z.enum(kinds) })

// Shells expand what they are given to complete.
const harmless = /^[A-Za-z0-9][A-Za-z0-9._:-]*$/

/** Lists names and ids to the completion scripts. Without a usage, so that no help shows it. */
export class CompletionWordsCommand extends DatabaseCommand {
  kind = Option.String({ name: 'KIND' })
  start = Option.String({ name: 'START', required: false })
  before = Option.String({ name: 'BEFORE', required: false })

  async act(): Promise<void> {
    const { kind } = this.parse(Words)
    const { db } = await this.open()
    const words = await listWords(db, kind, this.start ?? '', this.before ?? '')
    this.print(words.flatMap(word => (harmless.test(word) ? `${word}\n` : [])).join(''))
  }
}
