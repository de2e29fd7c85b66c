import type { Test } from 'tap'
import type { DebianMachine } from '../debian-machine.ts'
import { type Client, curl } from '../installed.ts'
import type { Output } from '../machine.ts'
import { signInByLink } from '../people.ts'

// A customer who brings applications: an account with a website for each, its files put there as
// the account's user, and its database as the customer gets one.

export type Customer = {
  machine: DebianMachine
  /** Runs a script as the account, in its home; fails where the script does. */
  as: (script: string, input?: string) => Promise<string>
  /** Puts files into a folder of the home, by their names. */
  put: (folder: string, files: Record<string, string>) => Promise<void>
  /** Runs a command of the panel, which root calls for the account; returns its JSON. */
  panel: (...words: string[]) => Promise<Record<string, unknown>>
  /** Reads one of the customer's pages of the panel. */
  readPage: (path: string) => Promise<string>
  /** Adds a website; returns the folder of its files, in the home. */
  addSite: (domain: string) => Promise<string>
  /** Adds a database; its user has the same name. */
  addDatabase: (suffix: string) => Promise<{ name: string; password: string }>
  /** Makes a picture of 1,200 by 900 points; returns its path on this machine. */
  drawPhoto: () => Promise<string>
}

/** A visitor of a website, who keeps its cookies. */
export type Visitor = {
  /** Requests a path; `words` are options of curl's. Returns the answer's text. */
  ask: (path: string, ...words: string[]) => Promise<string>
  /** The status and a header's value (empty without it), with the text left out. */
  look: (path: string, header?: string, ...words: string[]) => Promise<string>
}

const username = 'erin'
const name = 'applications'
const limits = {
  disk_mb: 4_000,
  memory_mb: 1_024,
  cpu_percent: 200,
  max_sites: 20,
  max_databases: 9,
  sftp: true,
}

/** Creates an account for applications. */
export async function openCustomer(
  t: Test,
  machine: DebianMachine,
  client: Client,
): Promise<Customer> {
  t.match(await client('PUT', `/packages/${name}`, limits), { status: /^20[01]$/ })
  const contact = { password: 'correct horse battery', email: 'erin@example.com' }
  const account = { username, ...contact, package: name, domain: 'erin.example' }
  t.match(await client('POST', '/accounts', account), { status: 201 })
  const home = `/home/${username}`
  const as = async (script: string, input?: string) => {
    const command = [
      'runuser',
      '-u',
      username,
      '--',
      'env',
      `HOME=${home}`,
      'sh',
      '-ec',
      `cd; ${script}`,
    ]
    return succeeded(script, await machine.run(command, input))
  }
  const panel = async (...words: string[]) => {
    const [topic = '', verb = '', ...rest] = words
    const command = ['panel', topic, verb, username, ...rest, '--json']
    return JSON.parse(succeeded(words.join(' '), await machine.run(command)))
  }
  let session: ReturnType<typeof signInByLink> | undefined
  return {
    machine,
    as,
    panel,
    async put(folder, files) {
      await as(`mkdir -p ${folder}`)
      for (const [file, text] of Object.entries(files)) await as(`cat >${folder}/${file}`, text)
    },
    readPage: async path => {
      session ??= signInByLink(machine, client, username)
      const { browser } = await session
      return (await browser.ask(path)).text
    },
    async addSite(domain) {
      await panel('site', 'add', domain)
      const folder = `sites/${domain}/public`
      await as(`rm -f ${folder}/index.html`)
      return folder
    },
    async drawPhoto() {
      const draw = `$i = imagecreatetruecolor(1200, 900); imagejpeg($i, "tmp/photo.jpg");`
      await as(`php -r '${draw}'`)
      return `${machine.root}${home}/tmp/photo.jpg`
    },
    async addDatabase(suffix) {
      const { password } = await panel('database', 'add', suffix)
      return { name: `${username}_${suffix}`, password: String(password) }
    },
  }
}

/** Terminates the account, and deletes its package. */
export async function removeCustomer(t: Test, client: Client): Promise<void> {
  t.match(await client('DELETE', `/accounts/${username}`), { status: 200 })
  t.match(await client('DELETE', `/packages/${name}`), { status: 200 })
}

function succeeded(what: string, { code, stdout, stderr }: Output): string {
  if (code !== 0) throw new Error(`${what} ended with ${code}: ${stdout.slice(-2_000)}${stderr}`)
  return stdout
}

let visitors = 0

/** Returns a visitor of a domain, with an empty jar of cookies. */
export function visitorOf(machine: DebianMachine, domain: string): Visitor {
  // Requests are made with this machine's curl and its files.
  const jar = `${machine.root}/srv/cookies-${(visitors += 1)}`
  const send = async (path: string, words: string[]) => {
    const cookies = ['-b', jar, '-c', jar, '--resolve', `${domain}:80:127.0.0.1`]
    const { stdout } = await machine.reach([
      ...[...curl, ...cookies, ...words],
      path.startsWith('http') ? path : `http://${domain}${path}`,
    ])
    return stdout
  }
  return {
    ask: (path, ...words) => send(path, words),
    look: async (path, header = 'none', ...words) => {
      const format = `%{http_code} %header{${header}}`
      return (await send(path, ['-o', '/dev/null', '-w', format, ...words])).trim()
    },
  }
}

/** Returns the fields of a form as options of curl. */
export const form = (fields: Record<string, string>): string[] =>
  Object.entries(fields).flatMap(([name, value]) => ['--data-urlencode', `${name}=${value}`])

/** Returns the value of a hidden field of a page. */
export function hiddenField(page: string, name: string): string {
  const [input = ''] = new RegExp(`<input[^>]*name=["']${name}["'][^>]*>`).exec(page) ?? []
  return /value=["']([^"']*)["']/.exec(input)?.[1] ?? ''
}
