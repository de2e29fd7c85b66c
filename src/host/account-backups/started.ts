import type { Owner } from '../tools/files.ts'
import type { Credentials } from './credentials.ts'

/** The folders that restic sees besides its programs. */
export type View = {
  readable: readonly string[]
  writable: readonly string[]
  hasNetwork: boolean
  /** Whether it may give files the modes that a backup has of them. */
  makesModes: boolean
}

/** A command of restic, as both kinds of runner get it. */
export type StartedRestic = {
  unit: string
  view: View
  credentials: Credentials
  environment: Record<string, string>
  owner: Owner
  args: readonly string[]
}
