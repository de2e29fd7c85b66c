import { Option } from 'clipanion'
import { z } from 'zod'
import { sharedParent } from '../../model/grammar/grammar.ts'
import { changeSharedParents } from '../../model/sites/shared-parents.ts'
import { DatabaseCommand } from '../database-command.ts'

const Words = z.object({ domain: sharedParent })

/** A command that changes the list of shared parents by one domain. */
export abstract class SharedParentCommand extends DatabaseCommand {
  domain = Option.String({ name: 'DOMAIN' })

  protected async change(to: 'added' | 'removed'): Promise<void> {
    const { domain } = this.parse(Words)
    const { db } = await this.open()
    const shared_parents = await this.recorded(
      db,
      (made: string[]) => ({ action: 'settings/share-parents', about: made.join(', ') }),
      own => changeSharedParents(own, { [to]: [domain] }),
    )
    this.show({ shared_parents }, shared_parents.map(name => `${name}\n`).join(''))
  }
}
