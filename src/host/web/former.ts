import * as fs from 'node:fs'
import type { Machine } from '../contract.ts'
import { isThere, listNames, readFile, removeFile } from '../tools/files.ts'
import { certificatesFolder, servedOf } from './served-certificate.ts'

// What earlier versions of the panel have made, on machines that were theirs.

/** Takes over certificates that a file named `served` named. */
export function adoptCertificates(machine: Machine): void {
  for (const id of listNames(machine.path(certificatesFolder))) {
    const folder = machine.path(`${certificatesFolder}/${id}`)
    const pointer = `${folder}/served`
    if (!isThere(pointer)) continue
    const file = `${folder}/${readFile(pointer)}`
    if (isThere(file)) fs.renameSync(file, machine.path(servedOf(id)))
    removeFile(pointer)
  }
}

const formerPaths = [
  '/etc/nginx/panel',
  '/etc/nginx/panel-check.conf',
  '/var/lib/panel/pages',
  '/var/lib/panel/acme-thumbprint',
]

/** Removes what nginx does not read any more. */
export function removeFormer(machine: Machine): void {
  for (const path of formerPaths) fs.rmSync(machine.path(path), { recursive: true, force: true })
}
