import { randomBytes } from 'node:crypto'
import { open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Config } from '../config.ts'
import { count, openPool, type Pool, transaction } from '../db.ts'
import { addOperator, findOperator } from '../model/sellers/operators.ts'
import { createToken, hashToken } from '../model/signing-in/tokens.ts'

const FirstStart = z.object({
  base_url: z.string(),
  username: z.string(),
  password: z.string(),
  token: z.string(),
})

/** The content of `first-start.json`: enough to sign in and to make the first call. */
export type FirstStart = z.infer<typeof FirstStart>

/** Returns the path of the first start's credentials. */
export const firstStartFile = (stateDir: string): string => join(stateDir, 'first-start.json')

/**
 * Makes the administrator `admin` and a token in a database that has none, and returns them;
 * undefined on every later start.
 *
 * The file is written under another name before the database commits, and renamed after that. If a
 * start is killed in between, the next one renames it, provided that the database knows its token.
 */
export async function ensureFirstStart(
  url: string,
  config: Config,
): Promise<FirstStart | undefined> {
  const file = firstStartFile(config.stateDir)
  const unfinished = `${file}.new`
  const pool = openPool(url, 'panel_owner', 1)
  try {
    const made = await transaction(pool, async db => {
      if ((await findOperator(db, 'admin')) !== undefined) return undefined
      const password = randomBytes(15).toString('base64url')
      const email = 'admin@panel.invalid'
      await addOperator(db, { name: 'admin', role: 'administrator', email, password })
      const { token } = await createToken(db, { owner: 'admin', name: 'First start' })
      const content = { base_url: config.baseUrl, username: 'admin', password, token }
      await writePrivate(unfinished, content)
      return content
    })
    const first = made ?? (await interrupted(pool, unfinished))
    if (first === undefined) return await followAddress(file, config.baseUrl)
    await rename(unfinished, file)
    return first
  } finally {
    await pool.end()
  }
}

async function interrupted(pool: Pool, path: string): Promise<FirstStart | undefined> {
  const content = await read(path)
  if (content === undefined) return undefined
  const hash = hashToken(content.token)
  const found = await count(pool)`select from panel.tokens where hash = ${hash}`
  return found === 1 ? content : undefined
}

// Updates the panel's current address in the file.
async function followAddress(file: string, baseUrl: string): Promise<undefined> {
  const content = await read(file)
  if (content === undefined || content.base_url === baseUrl) return undefined
  await writePrivate(`${file}.moved`, { ...content, base_url: baseUrl })
  await rename(`${file}.moved`, file)
  return undefined
}

async function read(path: string): Promise<FirstStart | undefined> {
  try {
    return FirstStart.parse(JSON.parse(await readFile(path, 'utf8')))
  } catch {
    // Missing, or cut off by a crash before the database committed.
    return undefined
  }
}

async function writePrivate(path: string, content: FirstStart): Promise<void> {
  await using file = await open(path, 'w', 0o600)
  await file.chmod(0o600)
  await file.writeFile(`${JSON.stringify(content, null, 2)}\n`)
  await file.sync()
}
