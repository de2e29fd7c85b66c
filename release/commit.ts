import { run } from '../src/host/tools/run.ts'

/**
 * Returns the commit of a checkout, which identifies a release.
 *
 * @param isDirtyTaken marks the commit if files differ from it, rather than refuse
 *
 * @throws if files differ from it: the content of the release would be unknown later
 */
export async function describeCommit(
  root: string,
  isDirtyTaken: boolean,
): Promise<{ commit: string; builtAt: string }> {
  // Builds of one checkout may run in parallel and need no lock.
  const git = (...words: string[]) => run('git', ['--no-optional-locks', '-C', root, ...words])
  const [commit = '', seconds = ''] = (await git('log', '-1', '--format=%H %ct')).trim().split(' ')
  const changed = [
    ...(await git('diff', '--name-only', '-z', 'HEAD')).split('\0'),
    // Whole folders are packed, so files that git does not know would be included.
    ...(await git('ls-files', '-z', '--others', '--exclude-standard', '--', 'billing')).split('\0'),
  ].filter(Boolean)
  const builtAt = new Date(Number(seconds) * 1_000).toISOString()
  if (changed.length === 0) return { commit, builtAt }
  if (isDirtyTaken) return { commit: `${commit}-dirty`, builtAt }
  const [first = '', ...others] = changed
  const differ = others.length === 0 ? 'differs' : `and ${others.length} more differ`
  throw new Error(`The checkout differs from its commit: ${first} ${differ}. Commit that or \
put it back; --dirty packs it all the same, and marks the release`)
}
