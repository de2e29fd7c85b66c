import { readdirSync } from 'node:fs'
import type { Machine } from '../contract.ts'
import { isThere, readFile } from '../tools/files.ts'

/** A folder a website, named by its number: keys, so only root may enter. */
export const certificatesFolder = '/var/lib/panel/certificates'

/** The website's key, which it keeps for as long as it is there. */
export const keyOf = (siteId: string): string => `${certificatesFolder}/${siteId}/request.key`

/** The website's key and certificate, in one file so that they change together. */
export const servedOf = (siteId: string): string => `${certificatesFolder}/${siteId}/served.pem`

/**
 * The key and certificate of a website, if it has any. The machine says so and not a row: a key
 * exists nowhere else.
 */
export const readServed = (machine: Machine, siteId: string): string | undefined =>
  // Most have none, and an error for each of many costs more than the look.
  isThere(machine.path(servedOf(siteId))) ? readFile(machine.path(servedOf(siteId))) : undefined

/** The numbers of the websites that have any. */
export const listServed = (machine: Machine): string[] =>
  readdirSync(machine.path(certificatesFolder)).filter(
    name => /^[1-9][0-9]*$/.test(name) && isThere(machine.path(servedOf(name))),
  )
