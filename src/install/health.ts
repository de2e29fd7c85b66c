import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { PanelError } from '../errors.ts'
import type { InstallStep } from './plan.ts'
import { apiSocket } from './settings.ts'

const patienceMs = 60_000
const pollMs = 100

/** Waits until the whole panel answers that it is up. */
export const healthStep: InstallStep = {
  name: 'health',
  does: () => 'Wait until the panel is up',
  async act() {
    const end = Date.now() + patienceMs
    for (;;) {
      const answer = await askReadiness()
      if (answer.status === 200) return
      if (Date.now() > end) {
        const words = `The panel is not up after ${patienceMs / 1_000} s (${answer.text}): \
journalctl -u 'panel-*' says why`
        throw new PanelError('timed_out', words)
      }
      await sleep(pollMs)
    }
  },
}

function askReadiness(): Promise<{ status: number | undefined; text: string }> {
  return new Promise(resolve => {
    const fail = (error: Error) => resolve({ status: undefined, text: error.message })
    const asked = request({ socketPath: apiSocket, path: '/readyz', timeout: 5_000 }, response => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => (text += part))
      response.on('end', () => resolve({ status: response.statusCode, text })).on('error', fail)
    })
    asked.on('timeout', () => asked.destroy(new Error('no answer'))).on('error', fail)
    asked.end()
  })
}
