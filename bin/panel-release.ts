import { actAsRelease } from '../src/cli/as-release.ts'

// Answers the release before or after this one during an update.
process.exit(await actAsRelease(process.argv[2]))
