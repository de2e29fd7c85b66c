import { Option } from 'clipanion'
import { checkNames, diagnose } from '../doctor/doctor.ts'
import { exitCodeOf, inWords, problemsOf, summary } from '../doctor/report.ts'
import { json } from '../foreign-text.ts'
import { type ExitCode, PanelCommand } from '../panel-command.ts'
import { openProgress } from '../progress.ts'

export class CtlDoctorCommand extends PanelCommand {
  static override summary = 'check the panel, its database and the server, and suggest fixes'
  static override details = `
    Works for every user, even while parts of the panel are down; checks that cannot run are
    reported as skipped.

    The exit code is 0 if everything is well, 1 if there are warnings, 2 if there are failures.

    \`--fix\` closes the panel's own files that others can access, creates missing folders and
    removes leftovers of interrupted writes. It restarts nothing and touches no account.
  `
  static override examples = {
    'Run all checks': '$0',
    'Show only problems': '$0 --problems',
    'Fix what can be fixed safely': '$0 --fix',
    'For a script': '$0 --json',
  }

  fix = Option.Boolean('--fix', false, { description: 'fix what can be fixed safely' })
  problems = Option.Boolean('--problems', false, {
    description: 'show only warnings and failures',
  })
  override json = Option.Boolean('--json', false, {
    description: 'print the result as JSON, for scripts',
  })

  async perform(): Promise<ExitCode> {
    const progress = openProgress(this.context.stderr, 'Looking', checkNames.length - 1)
    const options = { isFixing: this.fix, onDone: () => progress.add() }
    const report = await diagnose(this.context.env, options).finally(progress.end)
    const shown = this.problems ? problemsOf(report) : report
    this.print(this.json ? json(shown) : display => inWords(shown, display))
    this.report(summary(report))
    return exitCodeOf(report)
  }
}
