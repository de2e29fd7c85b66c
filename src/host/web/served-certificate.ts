import { existsSync, readdirSync } from 'node:fs'
import type { Machine } from '../contract.ts'
import { readFile } from '../tools/files.ts'

/** A folder a website, named by its number: keys, so only root may enter. */
export const certificatesFolder = '/var/lib/panel/certificates'

/** In a website's folder: the name of the file with the key and certificate that are served. */
export const servedFile = 'served'

/**
 * The file with the key and certificate of a website, if it has any. The machine says so and not a
 * row: a key exists nowhere else, and without it nginx would not start.
 */
export function findServed(machine: Machine, siteId: string): string | undefined {
  const folder = `${certificatesFolder}/${siteId}`
  const file = machine.path(`${folder}/${servedFile}`)
  // Most have none, and an error for each of many costs more than the look.
  const name = existsSync(file) ? readFile(file) : undefined
  if (name === undefined || !/^[0-9a-f]{32}\.pem$/.test(name)) return undefined
  return existsSync(machine.path(`${folder}/${name}`)) ? `${folder}/${name}` : undefined
}

/** The numbers of the websites that have any. */
export const listServed = (machine: Machine): string[] =>
  readdirSync(machine.path(certificatesFolder)).filter(
    name => /^[1-9][0-9]*$/.test(name) && findServed(machine, name) !== undefined,
  )
