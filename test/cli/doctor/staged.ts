/** One staged fault: the check that finds it, its message, and the repair. */
export type Staged = {
  check: string
  state: 'warning' | 'failure'
  words: RegExp
  /** Its advice; anything, if left out. */
  advice?: RegExp
  /** Other settings than the panel's. */
  environment?: Record<string, string>
  /** Breaks it, and returns the repair. */
  broken?: () => Promise<Mend | void> | Mend | void
  /** The report of --fix, if it can repair it. */
  fixed?: RegExp
}

type Mend = () => unknown
