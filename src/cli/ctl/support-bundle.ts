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
  static override summary = 'collect diagnostics for support into one archive, without secrets'
  static override details = `
    Contains the output of \`ctl info\` and \`ctl doctor\`, versions, settings, recent log lines
    and recent failures. Passwords, tokens, keys and anything that looks like one are removed.
    Review it before you send it: it contains the names of accounts and domains.

    Works while parts of the panel are down. Never overwrites a file.
  `
  static override examples = {
    'Create it in this folder': '$0',
    'Create it elsewhere': '$0 --output /root/bundle.tar.gz',
  }

  output = option('--output', 'files', 'the output file')
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
      this.report('review it before you send it: it contains the names of accounts and domains')
    } finally {
      progress.end()
      await context.close()
    }
  }
}

/** panel-support-20260131-235959.tar.gz, in UTC. */
const defaultName = (now: Date): string =>
  `panel-support-${now.toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-')}.tar.gz`
