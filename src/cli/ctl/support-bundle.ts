import { resolve } from 'node:path'
import { Option } from 'clipanion'
import type { Pool } from '../../db.ts'
import { pack } from '../bundle/archive.ts'
import { collect } from '../bundle/contents.ts'
import { openScrub } from '../bundle/scrub.ts'
import { findSecrets } from '../bundle/secrets.ts'
import { option } from '../completion/completers.ts'
import { checkNames, diagnose } from '../doctor/doctor.ts'
import { openContext } from '../doctor/context.ts'
import { findPanel } from '../find-panel.ts'
import { json } from '../foreign-text.ts'
import { PanelCommand } from '../panel-command.ts'
import { openProgress } from '../progress.ts'
import { refuseExisting } from '../whole-file.ts'

export class CtlSupportBundleCommand extends PanelCommand {
  static override summary = 'pack what support needs to know into one archive, without secrets'
  static override details = `
    Holds what \`ctl info\` and \`ctl doctor\` say, versions, settings, the last of the logs and
    what has failed. Passwords, tokens, keys and whatever looks like one are cut out. Look into
    it before you send it: names of accounts and domains are in it.

    Works while anything of the panel is down. Nothing is overwritten.
  `
  static override examples = {
    'Make it in this folder': '$0',
    'Make it elsewhere': '$0 --output /root/bundle.tar.gz',
  }

  output = option('--output', 'files', 'the file to make')
  override json = Option.Boolean('--json', false, {
    description: 'print the result as JSON, for scripts',
  })

  async perform(): Promise<void> {
    const { env } = this.context
    const file = resolve(this.output ?? defaultName(new Date()))
    refuseExisting(file)
    const found = findPanel(env)
    const progress = openProgress(this.context.stderr, 'Collecting', checkNames.length + 1)
    const context = openContext(found)
    try {
      const report = await diagnose(env, { onDone: () => progress.add() })
      const db: Pool | undefined = await context.db().catch(() => undefined)
      const scrub = openScrub(await findSecrets(found, env, db))
      const files = await collect(found, db, report, scrub)
      progress.add()
      const bytes = await pack(file, files)
      progress.end()
      const result = { file, bytes, files: [...files.keys()].sort() }
      this.print(this.json ? json(result) : `${file}\n`)
      this.report('look into it before you send it: names of accounts and domains are in it')
    } finally {
      progress.end()
      await context.close()
    }
  }
}

/** panel-support-20260131-235959.tar.gz, in UTC. */
const defaultName = (now: Date): string =>
  `panel-support-${now.toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-')}.tar.gz`
