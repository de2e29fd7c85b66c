import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Dependency } from './dependencies.ts'

/** Returns one text with the license of the panel and of everything in the release. */
export function licensesOf(root: string, dependencies: readonly Dependency[]): string {
  const own = section('panel', readFileSync(join(root, 'LICENSE'), 'utf8'))
  const others = dependencies.map(({ path, name, version, license }) =>
    section(`${name} ${version} (${license})`, textsIn(path)),
  )
  return [own, ...new Set(others)].join('\n')
}

const line = '='.repeat(80)

const section = (title: string, text: string): string => `${line}\n${title}\n${line}\n\n${text}\n`

function textsIn(folder: string): string {
  const names = readdirSync(folder).filter(name => /^(licen[cs]e|notice|copying)/i.test(name))
  const files = names
    .sort()
    .map(name => join(folder, name))
    .filter(path => statSync(path).isFile())
  if (files.length === 0) return 'The package contains no license text.\n'
  return files.map(path => readFileSync(path, 'utf8')).join('\n')
}
