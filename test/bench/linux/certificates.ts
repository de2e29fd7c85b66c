import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { at, certificateOf, siteIdOf } from '../../../src/host/web/folders.ts'
import { servedOf } from '../../../src/host/web/served-certificate.ts'

/** Gives each website a certificate of its own, as nginx and the panel have them. */
export function certify(domains: readonly string[]): void {
  const pem = makeCertificate()
  for (const domain of domains) {
    const id = siteIdOf(readlinkSync(at('names', domain)))
    if (id === undefined) throw new Error(`${domain} leads to no website`)
    mkdirSync(dirname(servedOf(id)), { mode: 0o700 })
    writeFileSync(servedOf(id), pem, { mode: 0o600 })
    const file = certificateOf(id)
    writeFileSync(file, pem, { mode: 0o640 })
    for (const name of [domain, `www.${domain}`])
      symlinkSync(`../certs/${basename(file)}`, at('tls', name))
  }
  execFileSync('chgrp', ['-R', 'panel-web', at('certs', '')])
}

/** Makes a key with a self-signed certificate, in one file. */
export function makeCertificate(): string {
  const [key, proof] = ['/var/tmp/bench.key', '/var/tmp/bench.pem']
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-x509']
  const files = ['-keyout', key, '-out', proof, '-subj', '/CN=bench', '-days', '30']
  mkdirSync('/var/tmp', { recursive: true })
  execFileSync('openssl', ['req', ...kind, ...files], { stdio: 'ignore' })
  return readFileSync(key, 'utf8') + readFileSync(proof, 'utf8')
}
