import { spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import type { Test } from 'tap'
import { until } from '../support/until.ts'

// A real certificate authority and real name servers (pebble and pebble-challtestsrv), on their
// usual ports.

/** The courier's settings for them. */
export const courierSettings = {
  PANEL_ACME_DIRECTORY: 'https://127.0.0.1:14000/dir',
  PANEL_ADDRESSES: '127.0.0.1',
  PANEL_RESOLVER: '127.0.0.1:53',
  NODE_EXTRA_CA_CERTS: '/tmp/authority.pem',
}

export type Authority = {
  /** Makes a name point to these addresses, or nowhere, for the panel and the authority. */
  point: (name: string, ...addresses: string[]) => void
  /** Makes it point elsewhere for the authority alone. */
  pointForAuthority: (name: string, address: string) => void
  /** Requests a page as a visitor who trusts the authority. */
  visit: (domain: string, path?: string) => { status: number; text: string }
}

/** The place of its start: its files in a folder of its own, and it in another network. */
export type Place = { folder: string; inNetwork: (...command: string[]) => string[] }

const here: Place = { folder: '/tmp', inNetwork: (...command) => command }

export async function startAuthority(
  t: Test,
  { folder, inNetwork }: Place = here,
): Promise<Authority> {
  // Its own address is https too, with a certificate that has to be trusted.
  execute('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
    ...['-days', '2', '-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'],
    ...['-keyout', `${folder}/authority.key`, '-out', `${folder}/authority.pem`],
  ])
  const settings = {
    listenAddress: '127.0.0.1:14000',
    managementListenAddress: '127.0.0.1:15000',
    certificate: `${folder}/authority.pem`,
    privateKey: `${folder}/authority.key`,
    httpPort: 80,
    tlsPort: 443,
    certificateValidityPeriod: 7_776_000,
  }
  writeFileSync(`${folder}/pebble.json`, JSON.stringify({ pebble: settings }))
  const nameServer = (dns: number, management: number) =>
    serve(t, [
      ...inNetwork('pebble-challtestsrv'),
      ...['-defaultIPv4', '', '-defaultIPv6', '', '-http01', '', '-https01', '', '-tlsalpn01', ''],
      ...['-dns01', `127.0.0.1:${dns}`, '-management', `127.0.0.1:${management}`],
    ])
  nameServer(53, 8055)
  nameServer(54, 8056)
  const configured = ['-config', `${folder}/pebble.json`, '-dnsserver', '127.0.0.1:54']
  serve(t, inNetwork('pebble', ...configured))
  const curl = (...args: string[]) => {
    const [command = '', ...rest] = inNetwork('curl', ...args)
    return spawnSync(command, rest, { encoding: 'utf8' })
  }
  const fetch = (url: string) => curl('-sf', '--cacert', `${folder}/authority.pem`, url)
  const report = (management: number, what: string, body: object): boolean =>
    curl('-sf', '-d', JSON.stringify(body), `http://127.0.0.1:${management}/${what}`).status === 0
  const setAddresses = (management: number, host: string, addresses: string[]): void => {
    report(management, 'clear-a', { host })
    report(management, 'clear-aaaa', { host })
    const of = (isIpv6: boolean) => addresses.filter(address => address.includes(':') === isIpv6)
    if (of(false).length > 0) report(management, 'add-a', { host, addresses: of(false) })
    if (of(true).length > 0) report(management, 'add-aaaa', { host, addresses: of(true) })
  }
  await until(() => fetch('https://127.0.0.1:14000/dir').status === 0)
  await until(() => [8055, 8056].every(port => report(port, 'clear-a', { host: 'x' })))
  writeFileSync(`${folder}/roots.pem`, fetch('https://127.0.0.1:15000/roots/0').stdout)

  return {
    point(name, ...addresses) {
      for (const port of [8055, 8056]) setAddresses(port, name, addresses)
    },
    pointForAuthority(name, address) {
      setAddresses(8056, name, [address])
    },
    visit(domain, path = '/') {
      const { stdout, stderr } = curl(
        ...['-sS', '-m', '10', '--cacert', `${folder}/roots.pem`, '-w', '\n%{http_code}'],
        ...['--resolve', `${domain}:443:127.0.0.1`, `https://${domain}${path}`],
      )
      const end = stdout.lastIndexOf('\n')
      const status = Number(stdout.slice(end + 1))
      return { status, text: status === 0 ? stderr : stdout.slice(0, end) }
    },
  }
}

function serve(t: Test, [command = '', ...args]: string[]): void {
  const env = {
    PATH: process.env['PATH'],
    // Validates at once and again for each order; refuses some nonces, as authorities do.
    PEBBLE_VA_NOSLEEP: '1',
    PEBBLE_AUTHZREUSE: '0',
    PEBBLE_WFE_NONCEREJECT: '20',
  }
  const child = spawn(command, args, { stdio: 'ignore', env })
  t.teardown(() => child.kill('SIGKILL'))
}

function execute(command: string, args: string[]): void {
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command}: ${stderr}`)
}
