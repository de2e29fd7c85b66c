import { createHash, createPrivateKey } from 'node:crypto'
import * as fs from 'node:fs'
import { join } from 'node:path'
import type { Issued } from '../../model/certificates.ts'
import type { HostAccount } from '../../model/host-account.ts'
import type { Host, Observe } from '../../model/host.ts'
import { judge } from './certificate-chain.ts'
import { makeRequest } from './certificate-request.ts'
import { ensureFile, ensureFolder, readFile, removeFile, syncFolder } from '../tools/files.ts'
import { groupCommit } from '../tools/group-commit.ts'
import type { Machine, Resource } from '../contract.ts'
import { challengeFile, renderChallenge, thumbprintFile } from './nginx-shared.ts'
import { ensureVhosts } from './nginx.ts'
import { certificatesFolder, listServed, servedFile } from './served-certificate.ts'

// A website's key and certificate are one file, named by what it holds, so that nginx never sees
// the one without the other. A new one arrives beside the old one and is tested together with the
// website that names it; only then it is the one that is served, and the old one goes.

/** What the worker offers for certificates. */
export function certificatesOf(machine: Machine) {
  // nginx goes by this file: it is reloaded when a worker starts (shared.ts).
  let answered = readFile(machine.path(thumbprintFile))
  // Many accounts ask at the same time, and all share one file.
  const answer = groupCommit<string>(async thumbprints => {
    const thumbprint = thumbprints.at(-1) ?? ''
    if (thumbprint !== answered) await answerChallenges(machine, thumbprint)
    answered = thumbprint
    return []
  })
  return {
    listServed: () => listServed(machine),
    answerChallenges: async thumbprint => void (await answer(thumbprint)),
    requestCertificate: (...asked) => requestCertificate(machine, ...asked),
    installCertificate: (...ordered) => installCertificate(machine, ...ordered),
  } satisfies Partial<Host>
}

async function answerChallenges(machine: Machine, thumbprint: string): Promise<void> {
  await ensureFile(machine.path(challengeFile), renderChallenge(thumbprint), 0o644)
  await machine.run('nginx', ['-t', '-q'])
  await machine.services.reload('nginx')
  // Last: as long as it does not say so, the next process does all of this.
  await ensureFile(machine.path(thumbprintFile), thumbprint, 0o644)
}

type Make = Host['requestCertificate']
type Install = Host['installCertificate']

async function requestCertificate(
  machine: Machine,
  account: HostAccount,
  { siteId, names }: Parameters<Make>[1],
  observe: Observe,
): Promise<string> {
  const folder = folderOf(machine, account, siteId, names)
  const { key, request } = await makeRequest(names)
  await observe('write key', async () => {
    ensureFolder(folder, 0o700)
    await ensureFile(join(folder, keyName), key, 0o600)
  })
  return request
}

async function installCertificate(
  machine: Machine,
  account: HostAccount,
  { siteId, names, chain }: Parameters<Install>[1],
  observe: Observe,
): Promise<Issued> {
  const folder = folderOf(machine, account, siteId, names)
  const key = readFile(join(folder, keyName))
  if (key === undefined) throw new Error('The key of the certificate is gone')
  const { pem, ...issued } = judge(chain, { key: createPrivateKey(key), names, now: new Date() })
  const file = `${createHash('sha256').update(pem).digest('hex').slice(0, 32)}.pem`
  const arriving = new Map([[siteId, `${certificatesFolder}/${siteId}/${file}`]])
  await observe('write certificate', async () => {
    await ensureFile(join(folder, file), key + pem, 0o600)
  })
  // That nginx does not run at all the account's own operations say.
  await observe('serve certificate', async () => {
    await ensureVhosts(machine, account, arriving)
  })
  await observe('keep certificate', async () => {
    await ensureFile(join(folder, servedFile), file, 0o600)
    const isOther = (name: string) => name.endsWith('.pem') && name !== file
    for (const name of fs.readdirSync(folder).filter(isOther)) removeFile(join(folder, name))
  })
  return issued
}

// The key of a certificate that was asked for; the certificate's own file holds it too afterwards.
const keyName = 'request.key'

function folderOf(
  machine: Machine,
  { sites }: HostAccount,
  siteId: string,
  names: readonly string[],
): string {
  const site = sites.find(({ id }) => id === siteId)
  if (site === undefined) throw new Error(`The account has no website ${siteId}`)
  const own = [site.domain, `www.${site.domain}`]
  if (!names.every(name => own.includes(name))) {
    throw new Error(`These are not names of ${site.domain}: ${names.join(', ')}`)
  }
  return machine.path(`${certificatesFolder}/${siteId}`)
}

/** Keys and certificates of the account's websites. */
export const certificates: Resource = {
  name: 'certificates',
  leave: (machine, { leaving }) => removeCertificates(machine, leaving),
  remove: (machine, { sites, leaving }) => removeCertificates(machine, [...sites, ...leaving]),
  look: machine => account =>
    account.leaving
      .filter(site => fs.existsSync(placeOf(machine, site)))
      .map(({ domain }) => `the certificate of ${domain} is still there`),
  keeps: () => ({ name: 'certificates', folder: certificatesFolder, entries: 'all' }),
}

const placeOf = (machine: Machine, { id }: Site): string =>
  machine.path(`${certificatesFolder}/${id}`)

type Site = HostAccount['sites'][number]

// No file of nginx's may name them any more.
async function removeCertificates(machine: Machine, sites: readonly Site[]): Promise<void> {
  const found = sites.map(site => placeOf(machine, site)).filter(folder => fs.existsSync(folder))
  for (const folder of found) fs.rmSync(folder, { recursive: true })
  if (machine.isDurable && found.length > 0) await syncFolder(machine.path(certificatesFolder))
}
