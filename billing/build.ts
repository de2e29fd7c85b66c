import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build, findModules, toArchive } from './module.ts'

// `npm run billing`: an archive for each billing system, to unpack into its root.

const dist = join(import.meta.dirname, '../dist')
await mkdir(dist, { recursive: true })
for (const module of await findModules()) {
  const name = `panel-${module.system}-${module.version}.zip`
  await writeFile(join(dist, name), toArchive(await build(module)))
  process.stdout.write(`dist/${name}\n`)
}
