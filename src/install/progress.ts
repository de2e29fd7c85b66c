import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Observe } from '../model/server/host.ts'

/** The log of steps and failures. No step's text contains a secret. */
export const logFile = '/var/log/panel/install.log'

/** Reports each step as it begins, and logs how it ends. */
export function reportSteps(names: readonly string[], report: (line: string) => void): Observe {
  let count = 0
  mkdirSync(dirname(logFile), { recursive: true, mode: 0o750 })
  return async (name, work) => {
    count += 1
    report(`[${count}/${names.length}] ${name}`)
    note(`${name}: begun`)
    try {
      await work()
      note(`${name}: done`)
    } catch (error) {
      note(`${name}: ${error instanceof Error ? error.message : error}`)
      throw error
    }
  }
}

const note = (line: string): void =>
  appendFileSync(logFile, `${new Date().toISOString()} ${line}\n`, { mode: 0o640 })
