import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { inherited } from '../processes.ts'
import { until } from '../until.ts'

const script = ['/usr/bin/script', '/bin/script'].find(path => existsSync(path))

/** Why there can be no terminal here; false if there can. */
export const noTerminal =
  script === undefined && 'there is no script(1), from util-linux, for a terminal'

const bin = join(import.meta.dirname, '../../../bin/panel')

/** The command as the words of a shell. */
export const panelAt = (words: string, program = bin): string =>
  `${process.execPath} ${program} ${words}`

/** Runs a shell's command in a real terminal of 80 columns. */
export function openTerminal(t: Test, command: string, environment: Record<string, string>) {
  const child = spawn(script!, ['-qec', `stty cols 80 rows 30; ${command}`, '/dev/null'], {
    env: { ...inherited, ...environment, TERM: 'screen' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const closed = once(child, 'close') as Promise<[number | null]>
  t.teardown(async () => {
    child.kill('SIGKILL')
    await closed
  })
  let all = ''
  child.stdout.on('data', (chunk: Buffer) => (all += chunk.toString()))
  return {
    /** Everything that was on the screen. */
    seen: () => all,
    /** Types the keys once the screen shows the question. */
    answer: async (question: string | RegExp, keys: string) => {
      await until(() =>
        typeof question === 'string' ? all.includes(question) : question.test(all),
      )
      child.stdin.write(keys)
    },
    /** Waits for its end and returns the exit code. */
    ended: async () => (await closed)[0],
  }
}
