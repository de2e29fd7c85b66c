import { existsSync } from 'node:fs'
import { isLoopback, type Config } from '../config.ts'
import { type FirstStart, firstStartFile } from './first-start.ts'

export function announcement(config: Config, first: FirstStart | undefined): string {
  const address = `The panel is ready: ${config.baseUrl}\n${license(config)}`
  if (first === undefined) {
    const file = firstStartFile(config.stateDir)
    // An external database has administrators already, and no file of a first start here.
    return existsSync(file)
      ? `${address}User, password and token of the first start are in ${file}\n`
      : `${address}The database already has an administrator; create a token: ${newToken}\n`
  }
  return `${address}
  User      ${first.username}
  Password  ${first.password}
  Token     ${first.token}

They are kept in ${firstStartFile(config.stateDir)}. Sign in at ${config.baseUrl}/sign-in

Two calls to paste, a package and an account on it:

${call(first, 'PUT', '/api/v1/packages/starter', starterPackage)}

${call(first, 'POST', '/api/v1/accounts', firstAccount)}
`
}

// The development license is accepted on loopback only.
const license = ({ listen, license: { file } }: Config): string =>
  isLoopback(listen.host) || existsSync(file)
    ? ''
    : `Not on loopback, so the panel needs a license: bin/panel license install FILE\n`

const newToken = 'bin/panel token create --owner admin'

const starterPackage = { max_sites: 1, disk_mb: 1024 }
const firstAccount = {
  username: 'alice',
  password: 'correct horse battery staple',
  email: 'alice@example.com',
  package: 'starter',
  domain: 'alice.example.com',
}

// Each call has a fixed key: pasted twice, it is one request.
function call(first: FirstStart, method: string, path: string, body: object): string {
  return [
    `curl -X ${method} '${first.base_url}${path}'`,
    `  -H 'Authorization: Bearer ${first.token}'`,
    `  -H 'Content-Type: application/json'`,
    `  -H 'Idempotency-Key: first-${method.toLowerCase()}'`,
    `  -d '${JSON.stringify(body)}'`,
  ].join(' \\\n')
}
