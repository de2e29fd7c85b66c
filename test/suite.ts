import { glob } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join, relative } from 'node:path'
import { t } from 'tap'
import { fileTimeoutS } from './support/full.ts'

// Runs test files as processes of their own by tap's means, but without what its command loads into
// each of them for coverage and mocks, which takes a third of the time.

const root = join(import.meta.dirname, '..')
// The longest files start first, so that none of them is left alone at the end.
const longest = [
  'test/api/bad-input.test.ts',
  'test/long/terminate-failing.test.ts',
  'test/long/same-key.test.ts',
  'test/long/panel-start.test.ts',
  'test/long/dr-restore.test.ts',
]

const asked = process.argv.slice(2)
const files = (await Promise.all((asked.length > 0 ? asked : ['test']).map(testsIn))).flat()

t.setTimeout(0)
// Tests wait as much as they work.
t.jobs = availableParallelism() + 1
files.sort((one, other) => rank(other) - rank(one))
for (const file of files) {
  const command = ['-u', 'NODE_OPTIONS', `TAP_TIMEOUT=${fileTimeoutS}`, process.execPath, file]
  const options = { buffered: true, timeout: fileTimeoutS * 1_000, cwd: root }
  void t.spawn('env', command, options, file)
}

function rank(file: string): number {
  return Number(longest.includes(file))
}

// A folder stands for all tests below it, and the beginning of a name for all files that have it:
// `test/tidy` for `test/tidy.test.ts`. Tests of the machine, long ones and those that need PHP
// run only if their folder is named.
async function testsIn(path: string): Promise<string[]> {
  if (path.endsWith('.ts')) return [path]
  const apart = ['test/machine', ...(path === 'test' ? ['test/long', 'test/billing'] : [])]
  const exclude = (name: string) => apart.some(folder => name === join(root, folder))
  const found = await Array.fromAsync(
    glob([join(root, path, '**/*.test.ts'), join(root, `${path}*.test.ts`)], { exclude }),
  )
  return found.map(file => relative(root, file)).sort()
}
