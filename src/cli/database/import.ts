import { randomBytes } from 'node:crypto'
import { copyFileSync, chmodSync, constants, mkdirSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { Option } from 'clipanion'
import { z } from 'zod'
import { PanelError } from '../../errors.ts'
import { databaseName } from '../../model/databases/databases.ts'
import { homeFile, importDump } from '../../model/databases/transfers.ts'
import { fields } from '../columns.ts'
import { argument } from '../completion/completers.ts'
import { unless } from '../small-file.ts'
import { WriteCommand } from '../write-command.ts'

const Words = z.object({ database: databaseName })
const InHome = z.object({ file: homeFile })

export class DatabaseImportCommand extends WriteCommand {
  static override summary = 'import a dump into a database of an account'
  static override details = `
    The file may be plain SQL, gzip or zstd; unpacked, it may be at most as large as the
    account's disk limit. The import runs with rights on that database only: statements that it
    may not run are skipped and reported, as are those after a USE of another database. Views,
    routines and triggers are created as this database's own, whatever their definer was. If the
    import stops early, the statements up to then remain, and the command reports it.
  `
  static override examples = {
    'Restore a database from a dump': '$0 alice alice_shop shop.sql.zst',
    'Import a file that the customer uploaded by SFTP': '$0 alice alice_shop shop.sql --home',
  }

  username = argument('USERNAME', 'accounts')
  database = argument('DATABASE', 'databases')
  file = argument('FILE', 'files')
  home = Option.Boolean('--home', false, {
    description: "FILE is a path in the account's home; the file stays there",
  })

  async act() {
    const { database } = this.parse(Words)
    const { username } = this
    if (this.home) {
      const { file } = this.parse(InHome)
      return this.write(importDump, { username, database, file }, fields)
    }
    const { config } = await this.open()
    // Loaded only now, so that --help is quick.
    const { machineOf } = await import('../../host/machine.ts')
    const { importPathOf } = await import('../../host/databases/import.ts')
    const id = randomBytes(16).toString('hex')
    const path = machineOf(config).path(importPathOf(id))
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    try {
      copyFile(this.file, path)
      return await this.write(importDump, { username, database, id }, fields)
    } catch (error) {
      // The upload is of no further use.
      rmSync(path, { force: true })
      throw error
    }
  }
}

function copyFile(from: string, to: string): void {
  try {
    if (!statSync(from).isFile()) throw new PanelError('invalid', `${from} is not a file`)
    copyFileSync(from, to, constants.COPYFILE_EXCL)
    chmodSync(to, 0o600)
  } catch (error) {
    throw unless(error, `${from} cannot be copied`)
  }
}
