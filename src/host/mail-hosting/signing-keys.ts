import { createPrivateKey, createPublicKey, generateKeyPair } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { promisify } from 'node:util'
import type { HostMailDomain } from '../../model/mail/host-mail.ts'
import type { Machine } from '../contract.ts'
import { ensureFile, isThere, listNames, type Owner, readFile, removeFile } from '../tools/files.ts'
import { dkimFolder } from '../mail-server/paths.ts'
import { keyFile } from './paths.ts'

// Keys with which mail is signed (DKIM, RFC 6376): RSA of 2048 bits, as every receiver checks.

const generate = promisify(generateKeyPair)

type Key = Pick<HostMailDomain, 'domain' | 'selector'>

/** Makes the key of a domain, if there is none. */
export async function ensureKey(machine: Machine, { domain, selector }: Key): Promise<void> {
  const path = machine.path(keyFile(domain, selector))
  if (isThere(path)) return
  const { privateKey } = await generate('rsa', {
    modulusLength: 2_048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  await ensureFile(path, privateKey, 0o600, ownerOf(machine))
}

// Rspamd's user owns the folder.
function ownerOf(machine: Machine): Owner | undefined {
  if (machine.files.owner(0, 0) === undefined) return undefined
  const { uid, gid } = lstatSync(machine.path(dkimFolder))
  return machine.files.owner(uid, gid)
}

export const hasKey = (machine: Machine, { domain, selector }: Key): boolean =>
  isThere(machine.path(keyFile(domain, selector)))

/** Returns the public part of a domain's key, in base64; undefined if it has none. */
export function publicKeyOf(machine: Machine, domain: string, selector: string) {
  const text = readFile(machine.path(keyFile(domain, selector)))
  if (text === undefined) return undefined
  return createPublicKey(createPrivateKey(text))
    .export({ type: 'spki', format: 'der' })
    .toString('base64')
}

/** Removes all keys of a domain. */
export function removeKeys(machine: Machine, domain: string): void {
  const own = new RegExp(`^[.]?${domain.replaceAll('.', '[.]')}[.]p[0-9]{6}[.]key([.]new)?$`)
  for (const name of listNames(machine.path(dkimFolder))) {
    if (own.test(name)) removeFile(machine.path(`${dkimFolder}/${name}`))
  }
}
