import type { Machine } from '../../host/contract.ts'
import type { Manifest } from '../manifest.ts'
import type { Journal, Request } from './journal.ts'

/** What is executed, and what of it is written down. */
export type Change = { machine: Machine; request: Request; journal: Journal; manifest?: Manifest }

export type ChangeStep = {
  name: string
  /** May return a sentence about what it can't do. */
  act: (change: Change) => Promise<string | void>
}
