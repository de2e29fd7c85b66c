import { z } from 'zod'

// A backup is a tar archive. Its entries are a description in JSON, first; small files; streams in
// parts, because their length is unknown before their end; and last the manifest, which names all
// others.

export const descriptionName = 'backup.json'
export const manifestName = 'manifest.json'

/** Bytes of a part, and the maximum of a backup in memory. */
export const partBytes = 16_777_216
/** Enough for 40 TB of parts, at a hundred bytes each. */
export const maxManifestBytes = 268_435_456

/** Names sort in the order of the parts. */
export const partName = (stream: string, number: number): string =>
  `${stream}/${String(number).padStart(6, '0')}`

/** The stream that an entry is a part of; undefined for a file. */
export const streamOf = (entry: string): string | undefined => /^(.+)\/[0-9]{6,}$/.exec(entry)?.[1]

/** Describes the source of a backup. */
export const Description = z.object({
  format: z.literal(1),
  id: z.uuid(),
  created_at: z.iso.datetime(),
  release: z.string(),
  server_id: z.uuid(),
  server: z.string(),
  host: z.enum(['sandbox', 'linux']),
  /** The schema of the rows. */
  migrations: z.array(z.object({ name: z.string(), sha256: z.string() })),
  accounts: z.array(z.object({ username: z.string(), uid: z.int() })),
})

export type Description = z.infer<typeof Description>

/** Every entry except the manifest itself. */
export const Manifest = z.record(
  z.string(),
  z.object({ bytes: z.int().nonnegative(), sha256: z.string() }),
)

export type Manifest = z.infer<typeof Manifest>
