import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { Host } from '../../model/server/host.ts'
import type { OwnPurpose } from '../../model/certificates/own-certificate.ts'
import type { Machine } from '../contract.ts'
import { mailDaemons } from '../mail-server/daemons.ts'
import { mailCertificateFile } from '../mail-server/paths.ts'
import { copyMailCertificate } from '../mail-server/setup.ts'
import { ensureFile, readFile } from '../tools/files.ts'
import { validate } from './certificate-chain.ts'
import { makeRequest } from './certificate-request.ts'

/** The panel's own key and certificate, in one file. */
export const ownCertificateFile = '/etc/panel/tls/panel.pem'

const files: Record<OwnPurpose, string> = {
  panel: ownCertificateFile,
  mail: mailCertificateFile,
}

/** The operations that the worker calls for it. */
export const ownCertificateOf = (machine: Machine) => {
  const reread: Record<OwnPurpose, () => Promise<void>> = {
    async panel() {
      const warning = await machine.services.reload('nginx')
      if (warning !== undefined) throw new Error(warning.sentence)
    },
    async mail() {
      await copyMailCertificate(machine)
      await machine.part(mailDaemons).reload()
    },
  }
  return {
    needsOwnCertificate(purpose, name) {
      const pem = readFile(machine.path(files[purpose]))
      return pem !== undefined && needsRenewal(pem, name, new Date())
    },
    async requestOwnCertificate(purpose, name) {
      return (await makeRequest([name], requireOwn(machine, purpose))).request
    },
    async installOwnCertificate(purpose, name, chain) {
      const key = createPrivateKey(requireOwn(machine, purpose))
      const { pem } = validate(chain, { key, names: [name], now: new Date() })
      const text = `${key.export({ type: 'pkcs8', format: 'pem' })}${pem}`
      await ensureFile(machine.path(files[purpose]), text, 0o600)
      await reread[purpose]()
    },
  } satisfies Partial<Host>
}

function requireOwn(machine: Machine, purpose: OwnPurpose): string {
  const pem = readFile(machine.path(files[purpose]))
  if (pem === undefined) throw new Error(`${files[purpose]} is gone`)
  return pem
}

/**
 * Returns whether the served certificate is self-signed, for another name, or past two thirds of
 * its life.
 */
export function needsRenewal(pem: string, name: string, now: Date): boolean {
  const certificate = parse(pem)
  if (certificate === undefined || signsItself(certificate)) return true
  return certificate.checkHost(name) === undefined || leftOf(certificate, now) < 1 / 3
}

/**
 * Returns whether browsers may continue to get it: it is for this name, and does not expire soon.
 */
export function isGood(pem: string | undefined, name: string, now: Date): boolean {
  const certificate = pem === undefined ? undefined : parse(pem)
  return certificate?.checkHost(name) !== undefined && leftOf(certificate, now) > 1 / 10
}

/** Returns whether a certificate is self-signed. */
export const isOwnSignature = (pem: string | undefined): boolean => {
  const certificate = pem === undefined ? undefined : parse(pem)
  return certificate !== undefined && signsItself(certificate)
}

const signsItself = (certificate: X509Certificate): boolean =>
  certificate.checkIssued(certificate) && certificate.verify(certificate.publicKey)

/** Returns the remaining part of a certificate's life. */
function leftOf({ validFromDate, validToDate }: X509Certificate, now: Date): number {
  const [begin, end] = [validFromDate.getTime(), validToDate.getTime()]
  return (end - now.getTime()) / (end - begin)
}

function parse(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem)
  } catch {
    // An incomplete file, or not one of ours.
    return undefined
  }
}
