import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { describeCommit } from '../../release/commit.ts'

const root = t.testdir({ src: { 'a.ts': '1\n' }, billing: { 'module.php': '<?php\n' } })
const git = (...words: string[]) =>
  execFileSync('git', ['-C', root, '-c', 'user.name=A', '-c', 'user.email=a@example.com', ...words])
    .toString()
    .trim()
git('init', '--quiet')
git('add', '.')
git('commit', '--quiet', '--message=Begin')
const commit = git('rev-parse', 'HEAD')

t.test('a checkout that is as committed is known by its commit', async t => {
  writeFileSync(join(root, 'notes'), 'not listed, and not packed')
  t.match(await describeCommit(root, false), { commit, builtAt: /^20.*Z$/ })
  t.match(await describeCommit(root, true), { commit })
})

t.test('a checkout that differs from its commit is refused, or marked on request', async t => {
  writeFileSync(join(root, 'src/a.ts'), '2\n')
  await t.rejects(describeCommit(root, false), {
    message:
      /^The checkout differs from its commit: src\/a\.ts differs\. Commit that or put it back/,
  })
  t.match(await describeCommit(root, true), { commit: `${commit}-dirty` })
  git('add', 'src')
  await t.rejects(describeCommit(root, false), { message: /src\/a\.ts differs/ })
  git('commit', '--quiet', '--message=Go on')
  writeFileSync(join(root, 'billing/more.php'), '<?php\n')
  await t.rejects(describeCommit(root, false), { message: /billing\/more\.php differs/ })
})
