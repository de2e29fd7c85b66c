/** One thing that is broken on purpose: what sees it, in which words, and what mends it again. */
export type Staged = {
  check: string
  state: 'warning' | 'failure'
  words: RegExp
  /** Other settings than the panel's. */
  environment?: Record<string, string>
  /** Breaks it, and returns what mends it. */
  broken?: () => Promise<Mend | void> | Mend | void
  /** What --fix says that it did, where it can. */
  fixed?: RegExp
}

type Mend = () => unknown
