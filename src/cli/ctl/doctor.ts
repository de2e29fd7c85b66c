import { Option } from 'clipanion'
import { checkNames, diagnose } from '../doctor/doctor.ts'
import { exitCodeOf, inWords, problemsOf, summary } from '../doctor/report.ts'
import { json } from '../foreign-text.ts'
import { type ExitCode, PanelCommand } from '../panel-command.ts'
import { openProgress } from '../progress.ts'

export class CtlDoctorCommand extends PanelCommand {
  static override summary = 'check the panel, its database and the machine, and say what to do'
  static override details = `
    Works for every user and while anything of it is down; what cannot be looked at is said.

    The exit code is 0 where all is well, 1 where there are warnings, 2 where there are failures.

    \`--fix\` closes own files that are open to others, makes missing folders and removes what
    interrupted writes have left. It restarts nothing and touches no account.
  `
  static override examples = {
    'Look at everything': '$0',
    'Show only what is not well': '$0 --problems',
    'Mend what can be mended without harm': '$0 --fix',
    'For a script': '$0 --json',
  }

  fix = Option.Boolean('--fix', false, { description: 'mend what can be mended without harm' })
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
    this.print(this.json ? json(shown) : look => inWords(shown, look))
    this.report(summary(report))
    return exitCodeOf(report)
  }
}
