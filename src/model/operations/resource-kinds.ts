import type { z } from 'zod'
import { accountBackups } from '../kinds/account-backups.ts'
import { certificates } from '../kinds/certificates.ts'
import { cronJobs } from '../kinds/cron-jobs.ts'
import { databases } from '../kinds/databases.ts'
import { mail } from '../kinds/mail.ts'
import { sftpKeys } from '../kinds/sftp-keys.ts'
import { sites } from '../kinds/sites.ts'
import type { Sql } from '../../db.ts'
import type { ResourceKind } from './resource-kind.ts'

// The kinds of resources of accounts. Everything that treats them alike is derived from this list;
// what only one kind needs is in its own files.

export const resourceKinds = [
  sites,
  certificates,
  sftpKeys,
  databases,
  cronJobs,
  mail,
  accountBackups,
] as const satisfies ResourceKind[]

type Kind = (typeof resourceKinds)[number]
const all: readonly ResourceKind[] = resourceKinds
type Union<One> = (One extends unknown ? (one: One) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never

/** The operations of all kinds, by name. */
export const resourceOperations = Object.assign(
  {},
  ...resourceKinds.map(({ operations }) => operations),
) as Union<Kind['operations']>

/** The events of all kinds, by name. */
export const resourceEvents = Object.assign(
  {},
  ...resourceKinds.map(({ events }) => events),
) as Union<Kind['events']>

/** The refusals of all kinds, by code. */
export const resourceRefusals = Object.assign(
  {},
  ...resourceKinds.map(kind => ('refusals' in kind ? kind.refusals : {})),
) as Union<Extract<Kind, { refusals: unknown }>['refusals']>

type Shape = Record<string, z.ZodType>
type RecordShapeOf<One> = One extends { record: { key: infer Key extends string; schema: infer S } }
  ? Record<Key, S>
  : never

/** The schemas of all parts of an account's record, by their keys. */
export const recordShape = Object.fromEntries(
  all.flatMap(({ record }) => (record === undefined ? [] : [[record.key, record.schema]])),
) as Shape as Union<RecordShapeOf<Kind>>

type HostOf<One> = One extends { host: infer Host } ? Host : never
type HostShapeOf<Host> = Host extends { shape: infer S } ? S : never

/** The schemas of all parts of an account for the machine. */
export const hostShape = Object.assign({}, ...all.map(({ host }) => host?.shape)) as Union<
  HostShapeOf<HostOf<Kind>>
>

type RowsOf<One> = One extends { secretRows: unknown }
  ? never
  : One extends {
        record: { key: infer Key extends string }
        host: { of(rows: infer Rows, username: string): object }
      }
    ? Record<Key, Rows>
    : never

/** The rows of an account's record that have a part for the machine. */
export type HostRows = Union<RowsOf<Kind>>

/** Rows that only the worker's role reads, by the key of their kind; null for none. */
type SecretParts = Readonly<Record<string, unknown>>

/** The rows of an account that only the worker may read. */
export type HostSecrets = { passwordHash: string | null; parts?: SecretParts | null }

/** Selects the parts for the machine from rows, for the schemas of `hostShape`. */
export const hostPartsOf = (record: HostRows, secrets: SecretParts, username: string): object =>
  Object.assign(
    {},
    ...all.map(({ host, record: own, secretRows }) => {
      const rows =
        secretRows === undefined
          ? (record as Record<string, unknown>)[own?.key ?? '']
          : (secrets[secretRows.key] ?? null)
      return host?.of(rows as never, username)
    }),
  )

/** The labels of operations and of parts of the history on pages. */
export const resourceLabels: Record<string, string> = Object.assign(
  {},
  ...all.map(({ labels }) => labels),
)
export const resourceThemes: Record<string, string> = Object.assign(
  {},
  ...all.map(({ themes }) => themes),
)

type SuggestedOf<One> = One extends { suggested: { kind: infer Name } } ? Name : never

/** The names by which a search finds resources, by their kind. */
export const resourceSuggestions = all.flatMap(({ suggested }) => suggested ?? []) as {
  kind: SuggestedOf<Kind>
  rows: Sql
}[]

type WordsOf<One> = One extends { words: infer Words } ? keyof Words & string : never

/** Words for shell completion, by their kind. */
export const resourceWords = Object.assign({}, ...all.map(({ words }) => words)) as Readonly<
  Record<WordsOf<Kind>, (before: string) => Sql>
>

/** The paths of pages that take files of any size, as regular expressions. */
export const uploadPaths: readonly string[] = all.flatMap(({ upload }) => upload ?? [])

/** Returns the events of resources that were removed with an account. */
export const deletionsOf = (record: object, account: object) =>
  all.toReversed().flatMap(({ deletions }) => deletions?.(record as never, account as never) ?? [])

type PartOf<One> = One extends { part: { name: infer Name extends string } } ? Name : never

/** The parts of accounts on the machine, by kind. */
export type ResourcePart = PartOf<Kind>

/** The parts that a suspension changes. */
export const suspendedParts = all.flatMap(({ part }) =>
  part?.isSuspended ? [part.name as ResourcePart] : [],
)

type TurnsOf<One> = One extends { scheduled: infer Turns } ? keyof Turns & string : never

/** A scheduled task of a kind. */
export type ResourceTurn = TurnsOf<Kind>

/** The schedules, by the names of the tasks. */
export const resourceTurns: Readonly<Record<string, string>> = Object.assign(
  {},
  ...all.map(({ scheduled }) => scheduled),
)
