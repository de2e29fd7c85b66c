import { ConfigError } from '../../config.ts'
import { PanelError } from '../../errors.ts'
import { findPanel, type Found } from '../find-panel.ts'
import { checks } from './checks.ts'
import { defaultRemedies } from './default-remedies.ts'
import { examine, type Options, type Result } from './examine.ts'
import { openContext } from './context.ts'
import { type Report, toReport } from './report.ts'

const settings = 'settings/readable'

/** The names of all checks, in the order of the report. */
export const checkNames: string[] = [settings, ...checks.map(({ name }) => name)]

/** Examines the panel that the environment means. What is down is found, and stops nothing. */
export async function diagnose(
  environment: Record<string, string | undefined>,
  options: Options = {},
): Promise<Report> {
  let found: Found
  try {
    found = findPanel(environment)
  } catch (error) {
    if (!(error instanceof PanelError || error instanceof ConfigError)) throw error
    return toReport(blind(error.message))
  }
  const { close, ...context } = openContext(found)
  try {
    const { config } = found
    const sentence = `The panel keeps its state in ${config.stateDir}, on the ${config.host} host`
    return toReport([
      { name: settings, state: 'ok', sentence, advice: null, fixed: null },
      ...(await examine(context, checks, options)),
    ])
  } finally {
    await close()
  }
}

// No other check can run without the settings.
function blind(reason: string): Result[] {
  const others = checks.map(({ name }): Result => ({
    name,
    state: 'skipped',
    sentence: 'Not checked, because the settings are invalid',
    advice: null,
    fixed: null,
  }))
  const advice = 'Fix the problem, and run this again'
  const remedies = [...(defaultRemedies[settings] ?? [])]
  return [
    { name: settings, state: 'failure', sentence: reason, advice, fixed: null, remedies },
    ...others,
  ]
}
