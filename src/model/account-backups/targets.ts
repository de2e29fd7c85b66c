import { z } from 'zod'
import { keyFor, seal, unseal } from '../server/sealing.ts'

// Where backups of accounts go: a folder of this server, SFTP, REST (rest-server, rclone) or S3.
// An administrator chooses; the values reach restic and ssh, so each has a narrow grammar.

export const targetName = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/,
    'must be 1 to 32 lower-case letters, digits and hyphens',
  )

const path = z
  .string()
  .max(500, 'must have at most 500 characters')
  .regex(/^\/?[A-Za-z0-9._-]+(?:\/[A-Za-z0-9._-]+)*$/, 'must be a path without special characters')
  .refine(text => !text.split('/').some(part => /^\.{1,2}$/.test(part)), 'must not contain . or ..')

// Folders of the system, and of accounts, who could read or fill them.
const refused = /^\/(bin|boot|dev|etc|home|lib|lib64|proc|root|run|sbin|sys|tmp|usr|var\/tmp)(\/|$)/

const folder = path
  .refine(text => text.startsWith('/'), 'must begin with /')
  .refine(text => !refused.test(text), 'must not be in a folder of the system or of accounts')

const host = z
  .string()
  .max(253, 'must have at most 253 characters')
  .regex(/^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/, 'must be a host name in lower case, or an address')

const port = z.int().min(1).max(65_535)

const sshUser = z
  .string()
  .regex(/^[a-z_][a-z0-9_.-]{0,31}$/, 'must be a user name of the other server')

/** A public key without its comment, as in known_hosts. */
const hostKey = z
  .string()
  .regex(
    /^(ssh-ed25519|ssh-rsa|ecdsa-sha2-nistp(256|384|521)) [A-Za-z0-9+/]{40,1000}={0,2}$/,
    'must be a public key such as "ssh-ed25519 AAAA…"',
  )

const loopback = /^http:\/\/(localhost|127(\.[0-9]{1,3}){3})(:|\/|$)/

const url = z
  .string()
  .max(500, 'must have at most 500 characters')
  .regex(
    /^https?:\/\/[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?(\/[A-Za-z0-9._~-]+)*\/?$/,
    'must be an address such as https://backup.example.com:8000/panel',
  )
  .refine(
    text => text.startsWith('https:') || loopback.test(text),
    'must begin with https: without encryption only this server is allowed',
  )

const login = z
  .string()
  .max(100, 'must have at most 100 characters')
  .regex(/^[A-Za-z0-9._~-]+$/, 'must be letters, digits, dots and hyphens')

const bucket = z
  .string()
  .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be the name of a bucket')

const region = z.string().regex(/^[a-z0-9-]{1,40}$/, 'must be a region such as eu-central-1')

const accessKey = z.string().regex(/^[A-Za-z0-9._-]{1,128}$/, 'must be the id of an access key')

// Left out, null and an empty string mean the same; rows and answers have null.
const optional = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess(sent => (sent === '' ? null : sent), schema.nullable().default(null))

const kinds = [
  z.strictObject({ kind: z.literal('folder'), path: folder }),
  z.strictObject({
    ...{ kind: z.literal('sftp'), host, port: port.default(22), user: sshUser, path },
    host_key: hostKey,
  }),
  z.strictObject({
    ...{ kind: z.literal('rest'), url, user: optional(login) },
    is_append_only: z.boolean().default(false),
  }),
  z.strictObject({
    ...{ kind: z.literal('s3'), url, bucket, prefix: optional(path), region: optional(region) },
    access_key: accessKey,
  }),
] as const

/** A target without its secret, as people see it. */
export const Target = z.discriminatedUnion('kind', kinds)
export type Target = z.infer<typeof Target>

/** A target as rows have it: its secret is sealed. */
export const SealedTarget = z.strictObject({
  address: Target,
  secret: z.base64().max(20_000),
})
export type SealedTarget = z.infer<typeof SealedTarget>

/** The secret part: the credentials, and the key of the repository that tests use. */
const Secret = z.strictObject({
  credentials: z.string().max(10_000).nullable(),
  testKey: z.string(),
})

/** A target as the machine needs it. */
export type OpenTarget = { address: Target } & z.infer<typeof Secret>

const lines = /^[\n\x20-\x7e]+$/

/** The credentials of each kind of target; null for a kind without any. */
export const secretOf: Record<Target['kind'], { label: string; schema: z.ZodType<string> } | null> =
  {
    folder: null,
    sftp: {
      label: 'The private key',
      schema: z
        .string()
        .max(8_000, 'must have at most 8000 characters')
        .regex(lines, 'must be lines of text')
        .regex(/^-----BEGIN [A-Z ]*PRIVATE KEY-----\n/, 'must be a private key without passphrase'),
    },
    rest: {
      label: 'The password',
      schema: z
        .string()
        .max(256)
        .regex(/^[!-~]+$/, 'must be printable ASCII characters'),
    },
    s3: {
      label: 'The secret key',
      schema: z
        .string()
        .max(256)
        .regex(/^[!-~]+$/, 'must be printable ASCII characters'),
    },
  }

const targetKey = (serverKey: Buffer): Buffer =>
  keyFor('panel: credentials of backup targets', serverKey)

/** Seals the secret of a target, for its name. */
export const sealTarget = (open: OpenTarget, name: string, serverKey: Buffer): SealedTarget => {
  const { address, ...secret } = open
  const text = Buffer.from(JSON.stringify(secret))
  return { address, secret: seal(text, targetKey(serverKey), name).toString('base64') }
}

/**
 * Decrypts the secret of a target.
 *
 * @throws if it was sealed with another key or for another name
 */
export function openTarget(sealed: unknown, name: string, serverKey: Buffer): OpenTarget {
  const { address, secret } = SealedTarget.parse(sealed)
  const text = unseal(Buffer.from(secret, 'base64'), targetKey(serverKey), name).toString()
  return { address, ...Secret.parse(JSON.parse(text)) }
}

/**
 * Returns a target with the credentials of the row before where it is given none. They go only to
 * the server that they were given for, whose test's repository stays too.
 */
export function withKept(given: OpenTarget, before: OpenTarget | undefined): OpenTarget {
  if (before === undefined || !isSameReceiver(given.address, before.address)) return given
  const isNeeded = needsCredentials(given.address)
  const credentials = isNeeded ? (given.credentials ?? before.credentials) : null
  return { ...given, credentials, testKey: before.testKey }
}

/** Returns whether a target has credentials. */
export const needsCredentials = (address: Target): boolean =>
  secretOf[address.kind] !== null && !(address.kind === 'rest' && address.user === null)

/** Returns whether two targets are the same server, with the same user. */
export const isSameReceiver = (one: Target, other: Target): boolean =>
  receiverOf(one) === receiverOf(other)

/** Returns what a target is known by to its credentials and its test's repository. */
function receiverOf(address: Target): string {
  if (address.kind === 'folder') return `folder ${address.path}`
  if (address.kind === 'sftp') {
    const { user, host, port, path, host_key: key } = address
    return `sftp ${user}@${host}:${port}/${path} ${key}`
  }
  if (address.kind === 'rest') return `rest ${address.user}@${address.url}`
  return `s3 ${address.access_key}@${address.url} ${address.bucket} ${address.prefix}`
}
