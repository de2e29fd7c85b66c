import { run } from '../src/host/tools/run.ts'

/**
 * The commit that a checkout is of, by which a release is known.
 *
 * @param isDirtyTaken marks it where files differ from it, rather than refuse
 * @throws where files differ from it: nobody could tell later what the release holds
 */
export async function describeCommit(
  root: string,
  isDirtyTaken: boolean,
): Promise<{ commit: string; builtAt: string }> {
  // Builds of one checkout may run beside each other, and want no lock.
  const git = (...words: string[]) => run('git', ['--no-optional-locks', '-C', root, ...words])
  const [commit = '', seconds = ''] = (await git('log', '-1', '--format=%H %ct')).trim().split(' ')
  const changed = [
    ...(await git('diff', '--name-only', '-z', 'HEAD')).split('\0'),
    // The modules are listed by their folders, so what git does not know would come along.
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
