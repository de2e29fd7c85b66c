import * as fs from 'node:fs'
import { join } from 'node:path'
import type { Htaccesses, HtaccessFolders, HtaccessLimits } from '../contract.ts'

/** Reads the same .htaccess files in a sandbox as are read on a real machine. */
export function readHtaccess(
  { home, folders }: HtaccessFolders,
  limits: Omit<HtaccessLimits, 'timeoutMs'>,
): Htaccesses {
  const found: Htaccesses = { files: [], links: [], isWhole: true }
  const seen = new Set<string>()
  const roots = [...folders]

  function follow(path: string, root: string): void {
    if (!fs.statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
    const target = fs.realpathSync(path)
    if (target === home || !isIn(target, home) || isIn(target, root)) return
    if (found.links.length === limits.links) return void (found.isWhole = false)
    found.links.push({ path, target })
    if (!roots.some(one => isIn(target, one))) roots.push(target)
  }

  function read(path: string): void {
    if (seen.has(path)) return
    seen.add(path)
    if (found.files.length === limits.files) return void (found.isWhole = false)
    const bytes = fs.readFileSync(path)
    if (bytes.length > limits.bytes) found.isWhole = false
    const text = bytes.subarray(0, limits.bytes).toString().replaceAll('\0', '')
    found.files.push({ path, text })
  }

  function walk(folder: string, root: string): void {
    for (const one of fs.readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, one.name)
      if (one.isDirectory()) walk(path, root)
      else if (one.isSymbolicLink()) follow(path, root)
      else if (one.isFile() && one.name === '.htaccess') read(path)
    }
  }

  // Targets of links have been added meanwhile.
  for (const root of roots) walk(root, root)
  return found
}

const isIn = (path: string, folder: string): boolean => `${path}/`.startsWith(`${folder}/`)
