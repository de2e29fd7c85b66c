import { Option } from 'clipanion'
import { z } from 'zod'
import type { Kind } from '../../model/grammar/known-words.ts'
import { commandNames, load } from '../commands.ts'
import { DatabaseCommand } from '../database-command.ts'
import { complete } from './complete.ts'
import { lineOf, shells } from './stubs.ts'

const Words = z.object({ shell: z.enum(shells) })

// Shells expand what they are given to complete.
const harmless = /^[A-Za-z0-9][A-Za-z0-9._:-]*$/

/**
 * Lists to a shell what can replace the last word of a command line of `panel`, a line each, or
 * `:files`. Without a usage, so that no help shows it.
 */
export class CompletionWordsCommand extends DatabaseCommand {
  shell = Option.String({ name: 'SHELL' })
  line = Option.Rest({ name: 'WORD' })

  async act(): Promise<void> {
    const { shell } = this.parse(Words)
    const found = await complete(this.line, {
      names: commandNames,
      load,
      list: (kind, start, before) => this.#list(kind, start, before),
      isDescribed: shell !== 'bash',
      offersOptions: shell !== 'fish',
    })
    if (found === 'files') this.print(':files\n')
    else this.print(found.map(one => `${lineOf[shell](one)}\n`).join(''))
  }

  async #list(kind: Kind, start: string, before: string): Promise<string[]> {
    const { listWords } = await import('../../model/grammar/known-words.ts')
    const { db } = await this.open()
    return (await listWords(db, kind, start, before)).filter(word => harmless.test(word))
  }
}
