import { actAsRelease } from '../src/cli/as-release.ts'

// What a release is asked by the one before or after it, while one takes the other's place.
process.exit(await actAsRelease(process.argv[2]))
