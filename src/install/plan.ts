import type { Machine } from '../host/contract.ts'
import type { Release } from './release.ts'

/** The parameters of an install, once every question is answered. */
export type Plan = {
  machine: Machine
  /** The release to install, and the folder that it runs from now. */
  release: Release & { folder: string }
  /** The server's full name. */
  hostname: string
  /** An external database; undefined for this machine's PostgreSQL. */
  databaseUrl: string | undefined
  /** Whether accounts get databases, in this machine's MariaDB. */
  databases: boolean
  administrator: { name: string; email: string; password: string | undefined }
  /** The text of a license file. */
  license: string | undefined
  /** Whether the server signs its own license, with a key that is made on it. */
  selfLicense: boolean
  /** Receives the progress of steps that take minutes: a percentage, and the current action. */
  progress?: (percent: number, doing: string) => void
}

/** One step of an install: it converges, may run twice and may be killed. */
export type InstallStep = {
  name: string
  /** Describes the step, for the confirmation. */
  does: (plan: Plan) => string
  /** May return a sentence about what it cannot do. */
  act: (plan: Plan) => Promise<string | void>
}
