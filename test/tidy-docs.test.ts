import { globSync, existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import t from 'tap'

// Pages for those who work on the code name its files: a renamed file has to be renamed there too.

const root = join(import.meta.dirname, '..')
const read = (page: string): string => readFileSync(join(root, page), 'utf8')
const listed = (...patterns: string[]): string[] => globSync(patterns, { cwd: root })

const pages = listed('*.md', 'docs/**/*.md', 'billing/README.md')
// A superseded record describes code that is gone.
const current = pages.filter(page => !/^Date: .* · Status: superseded/m.test(read(page)))
const folders = '{bin,billing,docs,release,sql,src,systemd,tasks,test}'
const files = listed(`${folders}/**/*.{ts,cjs,sh,sql,eta,css,php,md,service}`)
const names = new Set(files.map(file => basename(file)))

t.test('pages name files that exist', t => {
  for (const page of current) {
    const text = read(page)
    const paths = text.matchAll(/`((?:bin|docs|release|sql|src|tasks|test)\/[\w./-]*\.\w+)`/g)
    for (const [, path = ''] of paths) {
      if (!existsSync(join(root, path))) t.fail(`${page} names ${path}`)
    }
    for (const [, name = ''] of text.matchAll(/`([\w-]+\.(?:ts|sql|eta|css))`/g)) {
      if (!names.has(name)) t.fail(`${page} names ${name}`)
    }
  }
  t.ok(current.length > 60)
  t.end()
})

t.test('the paths of ARCHITECTURE.md lead to files that exist', t => {
  const text = read('ARCHITECTURE.md')
  const paths = [...text.matchAll(/(?<![\w/])(?:bin|src|tasks)\/[\w/-]+\.ts\b/g)]
  for (const [path] of paths) if (!existsSync(join(root, path))) t.fail(path)
  for (const [name] of text.matchAll(/(?<=\s|`)[a-z_]+\.sql\b/g)) {
    if (!names.has(name)) t.fail(name)
  }
  t.ok(paths.length > 20)
  t.end()
})

t.test('links between pages lead to pages that exist', t => {
  for (const page of pages) {
    for (const [, target = ''] of read(page).matchAll(/\]\(([\w./-]+)(?:#[\w-]+)?\)/g)) {
      const path = join(root, dirname(page), target)
      if (!existsSync(path)) t.fail(`${page} links to ${target}`)
    }
  }
  t.end()
})
