import type { Test } from 'tap'
import { startProcess, type Child } from '../processes.ts'

/** An API process next to the panel's own API, on the same database. */
export type ApiProcess = Child & { baseUrl: string }

export async function startApi(
  t: Test,
  databaseUrl: string,
  settings: Record<string, string> = {},
): Promise<ApiProcess> {
  let output = ''
  const started = await startProcess(t, 'bin/panel-api.ts', [], {
    ready: /"port":[0-9]+/,
    environment: {
      DATABASE_URL: databaseUrl,
      PANEL_LISTEN: '127.0.0.1:0',
      PANEL_DEVELOPMENT: 'yes',
      ...settings,
    },
    onOutput: text => (output += text),
  })
  const port = /"port":([0-9]+)/.exec(output)?.[1]
  return { ...started, baseUrl: `http://127.0.0.1:${port}` }
}
