import { certificates } from './kinds/certificates.ts'
import { databases } from './kinds/databases.ts'
import { sftpKeys } from './kinds/sftp-keys.ts'
import { sites } from './kinds/sites.ts'
import type { ResourceKind } from './resource-kind.ts'

// The kinds of things that accounts have. Everything that concerns all of them alike is derived
// from this list; what only one of them needs stands in its own files.

export const resourceKinds = [
  sites,
  certificates,
  sftpKeys,
  databases,
] as const satisfies ResourceKind[]

type Kind = (typeof resourceKinds)[number]
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
