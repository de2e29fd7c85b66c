import type { Machine } from '../host/contract.ts'
import type { Release } from './release.ts'

/** What is to be installed, once every question is answered. */
export type Plan = {
  machine: Machine
  /** The release that is installed, and the folder that it runs from now. */
  release: Release & { folder: string }
  /** The server's full name. */
  hostname: string
  /** A database elsewhere; undefined for PostgreSQL of this machine. */
  databaseUrl: string | undefined
  /** Whether accounts get databases, in the MariaDB of this machine. */
  databases: boolean
  administrator: { name: string; email: string; password: string | undefined }
  /** The text of a license file. */
  license: string | undefined
  /** Whether the server signs a license of its own, by a key that is made on it. */
  selfLicense: boolean
  /** Told how far a step is that takes minutes: a percentage, and what it is at. */
  progress?: (percent: number, doing: string) => void
}

/** One step towards an installed panel: it converges, may run twice and may be killed. */
export type InstallStep = {
  name: string
  /** What it does, for whoever asks before. */
  does: (plan: Plan) => string
  /** May return a sentence about what it can't do. */
  act: (plan: Plan) => Promise<string | void>
}
