import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { installationDir } from '../../config.ts'
import * as health from '../../model/server/database-health.ts'
import { type Checks, failure, warning, well } from './check.ts'

// The oldest that is in support and that Debian 12 brings.
const oldestPostgres = 15

/** Checks the versions of Node and PostgreSQL. */
export const versionChecks: Checks = {
  node() {
    const { optionalDependencies } = JSON.parse(
      readFileSync(join(installationDir, 'package.json'), 'utf8'),
    ) as { optionalDependencies: Record<string, string> }
    const own = optionalDependencies[`node-linux-${process.arch}`] ?? process.versions.node
    const words = `Node is ${process.versions.node}`
    if (process.versions.node === own) return well(words)
    return warning(
      `${words}; the release was tested with ${own}`,
      "Start the panel with the release's own bin/panel, after npm ci",
    )
  },
  async postgresql({ db }) {
    const version = await health.readVersion(await db())
    const words = `PostgreSQL is ${version}`
    if (Number.parseInt(version) >= oldestPostgres) return well(words)
    return failure(words, `Move to ${oldestPostgres} or newer; older ones are out of support`)
  },
}
