import { z } from 'zod'
import type {
  BackupRun,
  ReadBack,
  Snapshot,
  Stored,
} from '../../model/account-backups/backup-service.ts'
import type { Machine } from '../contract.ts'
import { homeOf } from '../accounts/users.ts'
import { CommandError, type RunOptions } from '../tools/run.ts'
import { withoutSecrets } from './credentials.ts'
import { type Location, repositoryOf, spoolOf } from './paths.ts'
import { runner } from './runner.ts'
import { expectedFiles } from './spool.ts'

// The commands of restic that backups of accounts need, with the options of 0.14 (Debian 12). Only
// that part of its output is read which has kept its form.

type Options = Omit<RunOptions, 'environment'> & {
  readable?: readonly string[]
  staging?: string
}

/**
 * Runs restic on a repository.
 *
 * @throws {CommandError} with restic's own words, without any secret
 */
export async function restic(
  machine: Machine,
  location: Location,
  args: readonly string[],
  { readable = [], staging, ...options }: Options = {},
): Promise<string> {
  try {
    return await machine.part(runner).restic({
      ...{ location, args, readable, options },
      ...(staging !== undefined && { staging }),
    })
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    const words = withoutSecrets(error.stderr === '' ? error.message : error.stderr, location)
    throw new CommandError('restic', `failed`, error.exitCode, words)
  }
}

/** Parses a line of restic's JSON; undefined if it is none. */
export const parseLine = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

const tagOf = (operationId: string): string => `backup-${operationId}`

const Listed = z.array(
  z.object({ id: z.string().regex(/^[0-9a-f]{64}$/), tags: z.array(z.string()).nullish() }),
)

/** Lists all snapshots of a repository. */
export async function listSnapshots(
  machine: Machine,
  location: Location,
  signal: AbortSignal,
): Promise<Snapshot[]> {
  const options = { signal, outputLimit: 50_000_000 }
  const output = await restic(machine, location, ['snapshots', '--json', '--no-lock'], options)
  return Listed.parse(JSON.parse(output) ?? []).map(({ id, tags }) => ({
    id,
    operationId: /^backup-([0-9a-f-]{36})$/.exec(tags?.[0] ?? '')?.[1],
  }))
}

const Summary = z.object({
  message_type: z.literal('summary'),
  snapshot_id: z.string().regex(/^[0-9a-f]{8,64}$/),
  total_bytes_processed: z.number(),
  data_added: z.number(),
  total_files_processed: z.number(),
})

/** Stores the home and the spool of an account, and further folders, as a snapshot. */
export async function store(
  machine: Machine,
  run: BackupRun,
  folders: readonly string[],
): Promise<Stored> {
  const { username, uid, repository, signal } = run
  const location = repositoryOf(repository)
  const [home, spool] = [homeOf(username), spoolOf(uid)]
  const seen = [...[home, spool].map(path => machine.path(path)), ...folders]
  // Caches are left out, and what is made again; the view has no other file systems.
  const without = ['tmp', 'logs'].flatMap(name => ['--exclude', `${seen[0]}/${name}/*`])
  const options = ['--json', '--host', 'panel', '--tag', tagOf(run.operationId)]
  const args = ['backup', ...options, '--exclude-caches', ...without, '--', ...seen]
  let summary: z.infer<typeof Summary> | undefined
  const onLine = (line: string): void => {
    const parsed = Summary.safeParse(parseLine(line))
    if (parsed.success) summary = parsed.data
  }
  // 3: some files could not be read, because they changed or were removed meanwhile.
  let code = 0
  try {
    await restic(machine, location, args, { signal, onLine, readable: seen })
  } catch (error) {
    if (!(error instanceof CommandError && error.exitCode === 3)) throw error
    code = 3
  }
  if (summary === undefined) throw new Error('restic did not report the end of the backup')
  return {
    snapshot: summary.snapshot_id,
    bytesRead: summary.total_bytes_processed,
    bytesAdded: summary.data_added,
    files: summary.total_files_processed,
    warnings: code === 3 ? [{ code: 'files_not_read' }] : [],
  }
}

const Head = z.object({
  struct_type: z.literal('snapshot'),
  id: z.string().regex(/^[0-9a-f]{64}$/),
})

/** A file or folder of a snapshot, as `restic ls --json` prints it. */
export const Node = z.object({
  struct_type: z.literal('node'),
  type: z.string(),
  path: z.string(),
  size: z.number().optional(),
  mtime: z.string().optional(),
})
export type Node = z.infer<typeof Node>

/** Collects the content of a snapshot while its list is read back. */
export type ListWriter = {
  add(node: Node): void
  end(): Pick<ReadBack, 'contents' | 'list'>
}

/** Reads the list of a snapshot back: see `BackupService`. */
export async function readBack(
  machine: Machine,
  { username, uid, dumps, repository, signal }: BackupRun,
  { snapshot, folders, list }: { snapshot: string; folders: readonly string[]; list: ListWriter },
): Promise<ReadBack> {
  const missing = expectedFiles(machine, { uid, dumps })
  const home = machine.path(homeOf(username))
  const missingFolders = new Set([home, ...folders])
  let [files, bytes] = [0, 0]
  let id: string | undefined
  const onLine = (line: string): void => {
    const parsed = parseLine(line)
    id ??= Head.safeParse(parsed).data?.id
    const node = Node.safeParse(parsed).data
    if (node === undefined) return
    list.add(node)
    if (node.type === 'file') {
      files += 1
      bytes += node.size ?? 0
      if (missing.get(node.path) === (node.size ?? 0)) missing.delete(node.path)
    } else if (node.type === 'dir') missingFolders.delete(node.path)
  }
  const args = ['ls', '--json', '--no-lock', '--', snapshot]
  await restic(machine, repositoryOf(repository), args, { signal, onLine })
  const [lacking] = [...missing.keys(), ...missingFolders]
  if (lacking !== undefined) {
    const name = lacking === home ? 'the home' : lacking.split('/').at(-1)
    throw new Error(`The backup lacks ${name} when read back`)
  }
  if (id === undefined) throw new Error('restic did not report the snapshot')
  return { snapshot: id, files, bytes, ...list.end() }
}
