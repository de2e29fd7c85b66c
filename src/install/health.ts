import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { PanelError } from '../errors.ts'
import type { InstallStep } from './plan.ts'
import { apiSocket } from './settings.ts'

/** Maximum time for the panel to become ready. */
export const healthTimeoutMs = 60_000
const pollMs = 100

/** Waits until the whole panel reports that it is ready. */
export const healthStep: InstallStep = {
  name: 'health',
  does: () => 'Wait until the panel is ready',
  act: () => requireReadiness(),
}

/**
 * Waits until the whole panel reports that it is ready, and serves a page.
 *
 * @param end the deadline
 */
export async function requireReadiness(end = Date.now() + healthTimeoutMs): Promise<void> {
  for (;;) {
    const answers = [await ask('/readyz'), await ask('/sign-in')]
    const bad = answers.find(({ status }) => status !== 200)
    if (bad === undefined) return
    if (Date.now() > end) {
      const words = `The panel did not become ready in time (${bad.text}): \
for the cause see journalctl -u 'panel-*'`
      throw new PanelError('timed_out', words)
    }
    await sleep(pollMs)
  }
}

function ask(path: string): Promise<{ status: number | undefined; text: string }> {
  return new Promise(resolve => {
    const fail = (error: Error) => resolve({ status: undefined, text: error.message })
    const asked = request({ socketPath: apiSocket, path, timeout: 5_000 }, response => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => (text += part))
      response.on('end', () => resolve({ status: response.statusCode, text })).on('error', fail)
    })
    asked.on('timeout', () => asked.destroy(new Error('no answer'))).on('error', fail)
    asked.end()
  })
}
