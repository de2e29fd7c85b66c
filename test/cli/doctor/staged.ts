/** One staged fault: the check that finds it, its message, and the repair. */
export type Staged = {
  check: string
  state: 'warning' | 'failure'
  words: RegExp
  /** What it advises; anything, if it is not said. */
  advice?: RegExp
  /** Other settings than the panel's. */
  environment?: Record<string, string>
  /** Breaks it, and returns the repair. */
  broken?: () => Promise<Mend | void> | Mend | void
  /** What --fix reports, if it can repair it. */
  fixed?: RegExp
}

type Mend = () => unknown
