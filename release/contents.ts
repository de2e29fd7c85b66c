import { cp, mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { build, findModules, toArchive } from '../billing/module.ts'
import { run } from '../src/host/tools/run.ts'
import { type Release, releaseFile } from '../src/install/release.ts'
import { billOfMaterials } from './bill-of-materials.ts'
import { type Dependency, productionDependencies } from './dependencies.ts'
import { licensesOf } from './licenses.ts'

// The parts of the checkout that an installed panel runs or shows.
const own = [
  ...['bin', 'docs/monitoring', 'docs/reference', 'sql', 'src', 'systemd', 'tasks'],
  ...['CHANGELOG.md', 'LICENSE', 'package.json', 'provisioning-openapi.yaml'],
]

/** Copies everything that a release contains into a folder; downloads go to `scratch`. */
export async function layOut(
  root: string,
  folder: string,
  release: Release,
  scratch: string,
): Promise<void> {
  const dependencies = await productionDependencies(root, release.architecture, scratch)
  const listed = await run('git', ['-C', root, 'ls-files', '-z', '--', ...own])
  const copy = async (name: string) => {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await cp(join(root, name), join(folder, name), { verbatimSymlinks: true })
  }
  for (const name of listed.split('\0').filter(Boolean)) await copy(name)
  for (const dependency of dependencies) await copyDependency(dependency, folder)

  const node = `node_modules/node-linux-${release.architecture}/bin/node`
  await symlink(node, join(folder, 'node'))
  // A machine need not have its own Node.
  await cp(join(root, 'release/panel'), join(folder, 'bin/panel'), { force: true })

  const write = (name: string, content: string | Uint8Array) =>
    writeFile(join(folder, name), content)
  await mkdir(join(folder, 'billing'))
  for (const module of await findModules()) {
    const archive = `billing/panel-${module.system}-${module.version}.zip`
    await write(archive, toArchive(await build(module)))
  }
  await write('LICENSES', licensesOf(root, dependencies))
  await write('sbom.json', await billOfMaterials(root, dependencies, new Date(release.builtAt)))
  await write(releaseFile, `${JSON.stringify(release, null, 2)}\n`)
}

// Only Node's program is needed; its headers and manuals are half as large again.
const isOfNode = /^node_modules\/node-linux-\w+\/(include|share|CHANGELOG\.md|README\.md)/

async function copyDependency({ folder, path }: Dependency, to: string): Promise<void> {
  await cp(path, join(to, folder), {
    recursive: true,
    verbatimSymlinks: true,
    filter: each => {
      const name = relative(path, each)
      // Nested dependencies are copied separately.
      return !name.startsWith('node_modules') && !isOfNode.test(join(folder, name))
    },
  })
}
