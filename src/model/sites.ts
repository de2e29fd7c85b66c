import { PanelError } from '../errors.ts'

/** The names that a website answers to. */
const namesOf = (domain: string): string[] => [domain, `www.${domain}`]

/**
 * Refuses the panel's own host names: no account may serve their pages, or get a certificate for
 * them.
 *
 * @throws {PanelError} `invalid`
 */
export function refuseOwn(domain: string, ownNames: readonly string[]): void {
  if (namesOf(domain).some(name => ownNames.includes(name))) {
    throw new PanelError('invalid', `domain ${domain} is the panel's own`)
  }
}
