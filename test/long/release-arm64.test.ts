import { spawnSync } from 'node:child_process'
import { closeSync, globSync, openSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { scratch } from '../support/scratch.ts'

// Built here for another processor, on which it can't be tried here.

const root = join(import.meta.dirname, '../..')
const other = process.arch === 'x64' ? 'arm64' : 'x64'
// As an ELF header names them (elf(5), e_machine).
const machines: Record<string, number> = { x64: 62, arm64: 183 }

t.test('a release for the other processor has its Node, and nothing of this one', async t => {
  const folder = scratch(t)
  const words = [
    'release/build.ts',
    `--arch=${other}`,
    '--effort=0',
    '--dirty',
    `--output=${folder}`,
  ]
  const built = spawnSync(process.execPath, words, { cwd: root, encoding: 'utf8' })
  t.equal(built.status, 0, built.stderr)
  const [archive = ''] = globSync(join(folder, `panel-*-linux-${other}.tar.xz`))
  t.equal(spawnSync('tar', ['-xf', archive, '-C', folder]).status, 0)
  const [release = ''] = globSync(join(folder, 'panel-*/'))
  t.equal(machineOf(join(release, 'node')), machines[other])
  const { architecture } = JSON.parse(readFileSync(join(release, 'release.json'), 'utf8'))
  t.equal(architecture, other)
  t.match(readFileSync(join(release, 'sbom.json'), 'utf8'), `node-linux-${other}`)
  t.strictSame(globSync('**/*.node', { cwd: release }), [], 'no native modules')
  t.strictSame(globSync(`node_modules/node-linux-${process.arch}`, { cwd: release }), [])
})

function machineOf(path: string): number {
  const file = openSync(path, 'r')
  const header = Buffer.alloc(20)
  readSync(file, header)
  closeSync(file)
  return header.readUInt16LE(18)
}
