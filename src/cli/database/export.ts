import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import { PanelError } from '../../errors.ts'
import { rootCaller } from '../../model/signing-in/callers.ts'
import { databaseName, list, unknown } from '../../model/databases/databases.ts'
import { argument, option } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'
import { writeWhole } from '../whole-file.ts'
import { CommandError } from '../../host/tools/run.ts'
import { mariaDb } from '../../host/mariadb/mariadb.ts'

const Words = z.object({ database: databaseName })

export class DatabaseExportCommand extends DatabaseCommand {
  static override summary = 'export a database of an account as SQL'
  static override details = `
    Writes to standard output, or to a file that only root can read. Broken views, routines and
    MERGE tables are left out.
  `
  static override examples = {
    'Save a copy': '$0 alice alice_shop --output shop.sql',
    'Write it to standard output': '$0 alice alice_shop',
  }

  username = argument('USERNAME', 'accounts')
  database = argument('DATABASE', 'databases')
  output = option('--output', 'files', 'the output file')

  async act(): Promise<void> {
    const { database } = this.parse(Words)
    const { db, config } = await this.open()
    const found = await list(db, await rootCaller(db), this.username)
    if (!found.some(one => one.database === database)) throw unknown(database)
    // Loaded only now, so that --help is quick.
    const { machineOf } = await import('../../host/machine.ts')
    const { streamDump } = await import('../../host/databases/dump.ts')
    const machine = machineOf(config)
    const lack = machine.part(mariaDb).lack()
    if (lack !== undefined) throw new PanelError('unavailable', lack)
    const { output } = this
    const dump = Readable.from(streamDump(machine, database))
    try {
      if (output === undefined) await pipeline(dump, this.context.stdout, { end: false })
      else await writeWhole(resolve(output), dump)
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
      throw new PanelError('unavailable', error.message, { cause: error })
    }
  }
}
