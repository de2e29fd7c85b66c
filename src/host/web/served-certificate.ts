import { X509Certificate } from 'node:crypto'
import { readdirSync } from 'node:fs'
import type { Machine } from '../contract.ts'
import { isThere, readFile } from '../tools/files.ts'

/** One folder per website, named by its number: it contains keys, so only root may enter. */
export const certificatesFolder = '/var/lib/panel/certificates'

/** The website's key, which it keeps for its whole life. */
export const keyOf = (siteId: string): string => `${certificatesFolder}/${siteId}/request.key`

/** The website's key and certificate, in one file so that they change together. */
export const servedOf = (siteId: string): string => `${certificatesFolder}/${siteId}/served.pem`

/**
 * Returns the key and certificate of a website, if it has any. The machine is the source, not a
 * row: a key exists nowhere else.
 */
export const readServed = (machine: Machine, siteId: string): string | undefined =>
  // Most websites have none, and an error costs more than this check.
  isThere(machine.path(servedOf(siteId))) ? readFile(machine.path(servedOf(siteId))) : undefined

/** Returns those of the names that a key and certificate (PEM) are for. */
export function certifiedOf(pem: string | undefined, names: readonly string[]): string[] {
  if (pem === undefined) return []
  try {
    const certificate = new X509Certificate(pem)
    return names.filter(name => certificate.checkHost(name) !== undefined)
  } catch {
    return [] // The file is not complete.
  }
}

/** Returns the numbers of the websites that have any. */
export const listServed = (machine: Machine): string[] =>
  readdirSync(machine.path(certificatesFolder)).filter(
    name => /^[1-9][0-9]*$/.test(name) && isThere(machine.path(servedOf(name))),
  )
