import type { Test } from 'tap'
import { until } from '../support/until.ts'
import type { DebianMachine } from './debian-machine.ts'
import { address } from './installed.ts'
import { installer, unpacked } from './refusals.ts'

const secret = 'a password that only root knows'
const [hostname, email] = ['panel.example.com', 'admin@example.com']

/** Installs from a script, which says everything. Returns the password. */
export async function installByOptions(t: Test, machine: DebianMachine): Promise<string> {
  // As with a umask that keeps unpacked files from others.
  await machine.must('chmod', '-R', 'go=', unpacked)
  const words = ['--yes', '--hostname', hostname, '--email', email, '--password-stdin']
  const result = await machine.run([...installer, ...words], `${secret}\n`)
  t.equal(result.code, 0, result.stderr)
  t.match(result.stdout, address)
  t.notMatch(result.stdout + result.stderr, secret)
  return secret
}

/** Installs at a terminal, and lets the password be made. */
export async function installByAnswers(t: Test, machine: DebianMachine): Promise<string> {
  const { child } = machine.start(['script', '-qec', installer.join(' '), '/dev/null'])
  let seen = ''
  child.stdout?.on('data', (text: Buffer) => (seen += text.toString()))
  const answer = async (question: string, keys: string) => {
    await until(() => seen.includes(question) || child.exitCode !== null)
    child.stdin?.write(`${keys}\r`)
  }
  await answer('Full name of this server', 'panel')
  await answer('is not a full server name', hostname)
  await answer('Your e-mail address', 'admin at example.com')
  await answer('The e-mail address ', email)
  await answer('New password', '')
  await answer('Sign your own', 'perhaps')
  await answer('Type yes or no', 'no')
  await answer('Offer databases to accounts', 'yes')
  await answer('Type yes to continue', 'yes')
  await until(() => child.exitCode !== null, 300_000)
  t.equal(child.exitCode, 0, seen)
  t.match(seen, /\r +\d+ % {2}\S/, 'how far it is')
  t.match(seen, /Open these ports in your firewall: 22 .*80 and 443 .*8443 /s)
  t.match(seen, /panel install --self-license/)
  t.match(seen, /packages: Install the distribution's packages/, 'it says before what it does')
  const [, password = ''] = /password {7}(\S{20}) \(not shown again\)/.exec(seen) ?? []
  t.not(password, '', seen)
  return password
}

/** Installs with databases, without reading the output. */
export async function installPrepared(machine: DebianMachine): Promise<void> {
  await machine.must(
    ...[...installer, '--yes', '--databases', '--hostname', hostname, '--email', email],
  )
}
