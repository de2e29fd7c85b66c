import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { listHostKeys } from '../../src/host/access/host-keys.ts'
import type { Machine } from '../../src/host/contract.ts'
import { CommandError } from '../../src/host/tools/run.ts'

const root = t.testdir()
const ed25519 = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILHOdXbpzfrHJD14rcwvtGDHRrpn0BdjqIcErpLr07VR'

const machineOf = (run: Machine['run']) =>
  ({ run, path: path => join(root, path) }) satisfies Pick<Machine, 'run' | 'path'> as Machine

mkdirSync(join(root, 'etc/ssh'), { recursive: true })
writeFileSync(join(root, 'etc/ssh/one.pub'), 'ssh-rsa AAAAB3NzaC1yc2E= root@server\n')
writeFileSync(join(root, 'etc/ssh/two.pub'), `${ed25519} root@server\n`)
writeFileSync(join(root, 'etc/ssh/odd.pub'), '<b>\n')

t.test('host keys are those of the configuration, the preferred one first', async t => {
  const files = ['one', 'two', 'odd', 'missing'].map(name => `hostkey /etc/ssh/${name}`)
  const keys = await listHostKeys(machineOf(async () => ['port 22', ...files, ''].join('\n')))
  t.strictSame(
    keys.map(({ kind }) => kind),
    ['ssh-ed25519', 'ssh-rsa'],
  )
  t.equal(keys[0]?.fingerprint, 'SHA256:1FB1h9r8DD14AoxXZAFUCynNjlUpENi+gT3fIk7H51Y')
})

t.test('there are none without an sshd', async t => {
  const machine = machineOf(async () => {
    throw new CommandError('sshd', 'is not installed', undefined, '')
  })
  t.strictSame(await listHostKeys(machine), [])
})
