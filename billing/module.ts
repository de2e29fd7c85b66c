import { existsSync } from 'node:fs'
import { glob, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { strToU8, zipSync, type Zippable } from 'fflate'

// Builds a module: a folder that looks like the billing system's root, its module.json, and the
// shared classes, under the module's own namespace.

export type Module = {
  system: string
  title: string
  version: string
  /** The oldest PHP that a supported release of the billing system runs on. */
  oldestPhp: string
  namespace: string
  /**
   * Where the shared classes go: a folder; or the one PHP file that a module may be, with those of
   * the folder `parts`.
   */
  shared: string
  /** The folder for the README, the change log and the license. */
  documents: string
}

/** Paths in the billing system's root, with what is there. */
export type Files = Map<string, Uint8Array>

const here = import.meta.dirname
const sharedNamespace = 'Panel\\Billing'
const documents = ['README.md', 'CHANGELOG.md']

export async function findModules(): Promise<Module[]> {
  const names = await readdir(here)
  const systems = names.filter(name => existsSync(join(here, name, 'module.json')))
  return Promise.all(systems.sort().map(readModule))
}

export async function readModule(system: string): Promise<Module> {
  const text = await readFile(join(here, system, 'module.json'), 'utf8')
  return { system, ...(JSON.parse(text) as Omit<Module, 'system'>) }
}

/** All that an archive holds; the same for the same sources. */
export async function build(module: Module): Promise<Files> {
  const folder = join(here, module.system)
  const files: Files = new Map()
  for (const name of await filesIn(folder)) {
    if (name === 'module.json' || name.startsWith('parts/')) continue
    const isDocument = documents.includes(name)
    const bytes = await readFile(join(folder, name))
    files.set(isDocument ? `${module.documents}/${name}` : name, stamped(module, name, bytes))
  }
  files.set(`${module.documents}/LICENSE`, await readFile(join(here, '../LICENSE')))

  const shared = await readShared(module)
  for (const name of await filesIn(join(folder, 'parts'))) {
    const bytes = await readFile(join(folder, 'parts', name))
    shared.set(name, new TextDecoder().decode(stamped(module, name, bytes)))
  }
  if (module.shared.endsWith('.php')) {
    const own = new TextDecoder().decode(files.get(module.shared))
    files.set(module.shared, strToU8(inOneFile(own, shared)))
  } else {
    for (const [name, text] of shared) files.set(`${module.shared}/${name}`, strToU8(text))
  }
  return new Map([...files].sort(([one], [other]) => (one < other ? -1 : 1)))
}

/** The files as a zip archive whose bytes depend on them alone. */
export function toArchive(files: Files): Uint8Array {
  const entries: Zippable = {}
  for (const [name, bytes] of files) {
    // A time of the archive's own zone, the earliest that the format knows; readable by all.
    entries[name] = [bytes, { mtime: new Date(1980, 0, 1), os: 3, attrs: 0o100644 << 16 }]
  }
  return zipSync(entries, { level: 9 })
}

async function filesIn(folder: string): Promise<string[]> {
  const found = await Array.fromAsync(glob('**/*', { cwd: folder, withFileTypes: true }))
  return found
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()
}

/** The shared classes as a module has them, by file. */
export async function readShared(module: Module): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  for (const name of await filesIn(join(here, 'shared'))) {
    const bytes = await readFile(join(here, 'shared', name))
    texts.set(name, new TextDecoder().decode(stamped(module, name, bytes)))
  }
  return texts
}

// Two modules in one PHP process would otherwise have classes of the same names.
function stamped(module: Module, name: string, bytes: Uint8Array): Uint8Array {
  if (!/\.(php|pdt|tpl|json|md)$/.test(name)) return bytes
  const text = new TextDecoder()
    .decode(bytes)
    .replaceAll(sharedNamespace, module.namespace)
    .replaceAll('@version@', module.version)
  return strToU8(text)
}

const strict = 'declare(strict_types=1);'

/**
 * PHP takes several namespaces in one file in braces only, and the declaration before all of them;
 * the module's comment stays in front.
 */
export function inOneFile(own: string, shared: Map<string, string>): string {
  const classes = [...shared].filter(([name]) => name !== 'autoload.php').map(([, text]) => text)
  const parts = [...classes, own].map(text => {
    const [, comment = '', namespace = '', code = ''] =
      /^<\?php\n((?:\s*\/\*\*?[^]*?\*\/\n(?=\n))?)\s*(?:namespace ([\w\\]+);\n)?([^]*)$/.exec(
        text.replace(`${strict}\n`, ''),
      )!
    return { comment: comment.trim(), block: `namespace ${namespace} {\n${code.trimEnd()}\n}` }
  })
  const head = parts.at(-1)!.comment
  const blocks = parts.map(({ block }) => block.replace('namespace  {', 'namespace {'))
  return ['<?php', ...(head === '' ? [] : [head]), strict, ...blocks].join('\n\n') + '\n'
}
