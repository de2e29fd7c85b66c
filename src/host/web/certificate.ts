import { createPrivateKey } from 'node:crypto'
import * as fs from 'node:fs'
import { dirname } from 'node:path'
import type { Issued } from '../../model/certificates/certificates.ts'
import type { HostAccount } from '../../model/accounts/host-account.ts'
import type { Host, Observe } from '../../model/server/host.ts'
import { validate } from './certificate-chain.ts'
import { makeRequest } from './certificate-request.ts'
import { renewalIdOf } from './renewal-id.ts'
import { ensureFile, ensureFolder, isThere, readFile } from '../tools/files.ts'
import type { Machine, Resource } from '../contract.ts'
import { answerChallenges } from './nginx-prepare.ts'
import { certificatesFolder, keyOf, listServed, servedOf } from './served-certificate.ts'
import { allNamesOf, ensureWebsites } from './websites.ts'

// A website's key and certificate are one file, so that they change together. It is the original;
// nginx reads a copy (websites.ts).

/** The operations that the worker calls for certificates. */
export const certificatesOf = (machine: Machine) =>
  ({
    listServed: () => listServed(machine),
    answerChallenges: thumbprint => answerChallenges(machine, thumbprint),
    requestCertificate: (...asked) => requestCertificate(machine, ...asked),
    installCertificate: (...ordered) => installCertificate(machine, ...ordered),
  }) satisfies Partial<Host>

type Make = Host['requestCertificate']
type Install = Host['installCertificate']

async function requestCertificate(
  machine: Machine,
  account: HostAccount,
  { siteId, names }: Parameters<Make>[1],
  observe: Observe,
): Promise<string> {
  requireNames(account, siteId, names)
  const file = machine.path(keyOf(siteId))
  // A renewal keeps the key, so that no handshake can combine a new key with an old certificate.
  const known = isThere(file) ? readFile(file) : undefined
  const { key, request } = await makeRequest(names, known)
  await observe('write key', async () => {
    ensureFolder(dirname(file), 0o700)
    await ensureFile(file, key, 0o600)
  })
  return request
}

async function installCertificate(
  machine: Machine,
  account: HostAccount,
  { siteId, names, chain }: Parameters<Install>[1],
  observe: Observe,
): Promise<Issued> {
  requireNames(account, siteId, names)
  const key = readFile(machine.path(keyOf(siteId)))
  if (key === undefined) throw new Error('The private key of the certificate is missing')
  const { pem, ...found } = validate(chain, { key: createPrivateKey(key), names, now: new Date() })
  const issued = { ...found, renewalId: await renewalIdOf(pem) }
  await observe('write certificate', async () => {
    await ensureFile(machine.path(servedOf(siteId)), key + pem, 0o600)
  })
  await observe('serve certificate', async () => {
    // The account's own operations report if nginx is not running at all.
    await ensureWebsites(machine, account)
  })
  return issued
}

/** @throws where the names are not those of the account's website */
function requireNames({ sites }: HostAccount, siteId: string, names: readonly string[]): void {
  const site = sites.find(({ id }) => id === siteId)
  if (site === undefined) throw new Error(`The account has no website ${siteId}`)
  const own = allNamesOf(site)
  if (!names.every(name => own.includes(name))) {
    throw new Error(`These names do not belong to ${site.domain}: ${names.join(', ')}`)
  }
}

/** Keys and certificates of the account's websites. */
export const certificates: Resource = {
  name: 'certificates',
  removeDeleted: (machine, { deleting }) => removeCertificates(machine, deleting),
  remove: (machine, { sites, deleting }) => removeCertificates(machine, [...sites, ...deleting]),
  drift: machine => account =>
    account.deleting
      .filter(site => fs.existsSync(folderOf(machine, site)))
      .map(({ domain }) => `the certificate of ${domain} is still there`),
  keeps: () => ({ name: 'certificates', folder: certificatesFolder, entries: 'all' }),
}

const folderOf = (machine: Machine, { id }: Site): string =>
  machine.path(`${certificatesFolder}/${id}`)

type Site = HostAccount['sites'][number]

async function removeCertificates(machine: Machine, sites: readonly Site[]): Promise<void> {
  const found = sites.map(site => folderOf(machine, site)).filter(folder => fs.existsSync(folder))
  for (const folder of found) fs.rmSync(folder, { recursive: true })
  if (found.length > 0) await machine.sync(certificatesFolder)
}
