import { PanelError } from '../../errors.ts'
import type { Limits } from '../sellers/package-limits.ts'
import { type Caller, isRoot } from '../signing-in/callers.ts'

// Why an account cannot get a name for a website.

export type DomainConflict = 'domain' | 'neighbour' | 'shared-parent'
export type Refusal = 'sites' | DomainConflict

/** The field that a refused name was sent in. */
type NameField = 'domain' | 'aliases'

const websites = (count = 0): string => (count === 1 ? '1 website' : `${count} websites`)

/** Refuses a website for an account of a package that allows none. */
export function refuseWithout({ max_sites }: Pick<Limits, 'max_sites'>, name: string): void {
  if (max_sites > 0) return
  const words = `domain is not available: ${name} has no website`
  throw new PanelError('too_many_sites', words, { field: 'domain' })
}

/** The package's name, and what it allows. */
type PackageLimit = { name: string; allowed: number | undefined }

/** Returns why an account cannot get a domain, in words. */
export function refusalOf(
  domain: string,
  refusal: Refusal,
  limit?: PackageLimit,
  field: NameField = 'domain',
): PanelError {
  const name = `domain ${domain}`
  const sentences: Record<Refusal, string> = {
    sites:
      `The package ${limit?.name ?? 'of the account'} allows ${websites(limit?.allowed)}, ` +
      'and the account already has that many',
    domain: `${name} is taken`,
    neighbour: `${name} is a subdomain or a parent of a domain that is taken`,
    'shared-parent':
      `${name} is a shared parent or a parent of one: ` +
      'only root can add it, with: panel site add',
  }
  if (refusal === 'sites') return new PanelError('too_many_sites', sentences.sites)
  return taken(sentences[refusal], field)
}

const taken = (sentence: string, field: NameField): PanelError =>
  new PanelError('domain_taken', sentence, { field })

/**
 * Refuses the panel's own host names and all names below them: an account with one could serve the
 * panel's pages, set cookies for them, or get a certificate for them. A website above one could set
 * cookies too: only root on the command line can add it, for the hoster.
 *
 * @throws {PanelError} `domain_taken`
 */
export function refuseOwn(
  caller: Pick<Caller, 'id'>,
  domain: string,
  ownNames: readonly string[],
  field: NameField = 'domain',
): void {
  for (const own of ownNames) {
    if ([domain, `www.${domain}`].includes(own)) {
      throw taken(`domain ${domain} is the panel's own`, field)
    }
    if (domain.endsWith(`.${own}`)) {
      throw taken(`domain ${domain} is below the panel's own, ${own}`, field)
    }
    if (!isRoot(caller) && own.endsWith(`.${domain}`)) {
      const words = 'only root can add it, with: panel site add'
      throw taken(`domain ${domain} is above the panel's own: ${words}`, field)
    }
  }
}

/** Returns the refusal that a check throws; undefined if it does not refuse. */
export function refusalIn(check: () => void): PanelError | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    if (error instanceof PanelError) return error
    throw error
  }
}
