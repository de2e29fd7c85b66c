import type { Machine } from '../../host/contract.ts'
import type { Manifest } from '../manifest.ts'
import type { Journal, Request } from './journal.ts'

/** An update or rollback in progress, with its journal. */
export type Change = { machine: Machine; request: Request; journal: Journal; manifest?: Manifest }

export type ChangeStep = {
  name: string
  /** May return a sentence about what it cannot do. */
  act: (change: Change) => Promise<string | void>
}
