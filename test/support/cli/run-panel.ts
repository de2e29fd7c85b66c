import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { PassThrough, Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Test } from 'tap'
import { runCli } from '../../../src/cli/cli.ts'
import { database } from '../database.ts'
import { inherited } from '../processes.ts'
import { scratch } from '../scratch.ts'

const bin = join(import.meta.dirname, '../../../bin/panel')

export type Output = { code: number | null; stdout: string; stderr: string; json: () => any }

/** Runs the real command in an unrelated folder. */
export async function runPanel(
  words: string[],
  environment: Record<string, string>,
  input = '',
  program = bin,
): Promise<Output> {
  const child = spawn(process.execPath, [program, ...words], {
    cwd: '/',
    env: { ...inherited, ...environment },
  })
  // A command that reads nothing may have ended before its input is written.
  child.stdin.on('error', () => undefined).end(input)
  const [stdout, stderr, [code]] = await Promise.all([
    buffer(child.stdout).then(String),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ])
  return { code, stdout, stderr, json: () => JSON.parse(stdout) }
}

/** The same command in this process, which saves half a second a call. */
export async function callPanel(
  words: string[],
  environment: Record<string, string>,
  input = '',
): Promise<Output> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const running = Promise.all([buffer(stdout).then(String), text(stderr)])
  const stdin = Readable.from([Buffer.from(input)])
  const code = await runCli(words, { stdin, stdout, stderr, env: environment })
  for (const stream of [stdout, stderr]) stream.end()
  const [out, err] = await running
  return { code, stdout: out, stderr: err, json: () => JSON.parse(out) }
}

/**
 * A database of the test's own, and a state directory whose lock shows a running `panel start`,
 * which is this process.
 */
export async function panelFor(t: Test) {
  const { url, pool } = await database(t)
  const stateDir = scratch(t)
  writeFileSync(join(stateDir, 'lock'), `${process.pid}\n`)
  const environment = { DATABASE_URL: url, PANEL_STATE_DIR: stateDir }
  return {
    pool,
    stateDir,
    environment,
    panel: (words: string[], input?: string) => callPanel(words, environment, input),
  }
}
