import { rmSync, writeFileSync } from 'node:fs'
import type { Machine } from '../contract.ts'
import { ensureFolder } from '../tools/files.ts'
import { type Location, runsFolder } from './paths.ts'

// Addresses of repositories reach restic as arguments and variables, secrets as files.

export type Credentials = {
  /** The folder with the files. */
  folder: string
  files: string[]
  environment: Record<string, string>
  remove: () => void
}

/** Writes the files for one run; only root can read them. */
export function writeCredentials(machine: Machine, location: Location): Credentials {
  const folder = machine.path(`${runsFolder}/${location.unit}`)
  rmSync(folder, { recursive: true, force: true })
  ensureFolder(machine.path(runsFolder), 0o700)
  ensureFolder(folder, 0o700)
  const files = secretsOf(machine, location)
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(`${folder}/${name}`, text, { mode: 0o400 })
  }
  return {
    ...{ folder, files: Object.keys(files), environment: environmentOf(location) },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

function secretsOf(machine: Machine, { name, key, target }: Location): Record<string, string> {
  const { address, credentials } = target
  const secret = credentials ?? ''
  switch (address.kind) {
    case 'folder':
      return { key, repository: machine.path(`${address.path}/${name}`) }
    case 'sftp': {
      const { user, host, port, path } = address
      const shown = port === 22 ? host : `[${host}]:${port}`
      return {
        ...{ key, repository: `sftp:${user}@${host}:${path}/${name}` },
        ssh: secret.endsWith('\n') ? secret : `${secret}\n`,
        known_hosts: `${shown} ${address.host_key}\n`,
      }
    }
    case 'rest': {
      const url = new URL(`${address.url.replace(/\/$/, '')}/${name}/`)
      // Encoded here: the setter leaves some characters as they are, `%` among them.
      if (address.user !== null) {
        ;[url.username, url.password] = [address.user, encodeURIComponent(secret)]
      }
      return { key, repository: `rest:${url.href}` }
    }
    case 's3': {
      const within = [address.bucket, address.prefix ?? '', name].filter(part => part !== '')
      const url = `${address.url.replace(/\/$/, '')}/${within.join('/')}`
      return { key, repository: `s3:${url}`, secret }
    }
  }
}

function environmentOf({ target: { address } }: Location): Record<string, string> {
  if (address.kind === 'sftp')
    return { PANEL_SSH: `-p ${address.port} ${address.user}@${address.host}` }
  if (address.kind !== 's3') return {}
  const region = address.region === null ? {} : { AWS_DEFAULT_REGION: address.region }
  return { AWS_ACCESS_KEY_ID: address.access_key, ...region }
}

/** Returns a text without the secret part of an address, which restic may repeat. */
export const withoutSecrets = (text: string, { target, key }: Location): string =>
  [target.credentials, target.credentials && encodeURIComponent(target.credentials), key]
    .filter(secret => secret !== null && secret.length >= 4)
    .reduce<string>((kept, secret) => kept.replaceAll(secret!, '…'), text)

const sshOptions = [
  ...['-F none', '-o IdentitiesOnly=yes', '-o BatchMode=yes', '-o StrictHostKeyChecking=yes'],
  ...['-o GlobalKnownHostsFile=/dev/null', '-o ConnectTimeout=15', '-o ServerAliveInterval=30'],
]

/**
 * The program of a run, for sh, with restic's arguments: it gives the secrets to restic, whose
 * environment other users cannot read.
 */
export const runnerScript = `set -eu
cd /
c=$CREDENTIALS_DIRECTORY
export RESTIC_PASSWORD_FILE=$c/key RESTIC_REPOSITORY_FILE=$c/repository
if [ -e "$c/secret" ]; then
  AWS_SECRET_ACCESS_KEY=$(cat "$c/secret")
  export AWS_SECRET_ACCESS_KEY
fi
if [ -e "$c/ssh" ]; then
  set -- -o "sftp.command=ssh ${sshOptions.join(' ')} -o UserKnownHostsFile=$c/known_hosts \\
-i $c/ssh $PANEL_SSH -s sftp" "$@"
fi
exec restic "$@"
`
