import * as fs from 'node:fs'
import { dirname } from 'node:path'
import type pg from 'pg'
import { standIn, tools } from '../../support/cli/whole-panel.ts'

// Ways to break a row, a file or a tool; each returns its repair.

export const tool = (root: string, name: string, script: string) => () => {
  standIn(root, name, script)
  return () => standIn(root, name, tools[name])
}
/** Replaces a file's text, or removes the file. */
export const text = (path: string, change: (text: string) => string | undefined) => () => {
  const before = fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : undefined
  const write = (now: string | undefined) =>
    now === undefined ? fs.rmSync(path) : fs.writeFileSync(path, now)
  write(change(before ?? ''))
  return () => write(before)
}
export const mode = (path: string, wrong: number) => () => {
  const before = fs.statSync(path).mode & 0o7777
  fs.chmodSync(path, wrong)
  return () => fs.chmodSync(path, before)
}
export const made =
  (path: string, content = '', wrong = 0o600) =>
  () => {
    const folder = fs.mkdirSync(dirname(path), { recursive: true })
    fs.writeFileSync(path, content)
    fs.chmodSync(path, wrong)
    return () => fs.rmSync(folder ?? path, { recursive: true, force: true })
  }
export const old =
  (path: string, age: number, content = '') =>
  () => {
    const mend = made(path, content)()
    fs.utimesSync(path, Date.now() / 1_000 - age, Date.now() / 1_000 - age)
    return mend
  }

/** Breaks by one statement and repairs by another, as a superuser. */
export const statements = (pool: pg.Pool) => (breaks: string, mends: string) => async () => {
  await pool.query(breaks)
  return () => pool.query(mends)
}
