import t from 'tap'
import { renderIdent } from '../../src/start/postgres-cluster.ts'
import { embeddedUrl, postgresPaths } from '../../src/start/postgres-paths.ts'
import { becomingWith, postgresUser } from '../../src/start/postgres-user.ts'
import { scratch } from '../support/scratch.ts'

const unknown = { uid: 65534, gid: 65534 }
const bits = (...numbers: number[]) => numbers.reduce((sum, n) => sum | (1n << BigInt(n)), 0n)

t.test('runs as another user than root', async t => {
  const user = await postgresUser('/nonexistent')
  if (process.getuid?.() === 0) t.ok(user !== undefined && user.uid > 0)
  else t.equal(user, undefined)
})

t.test('keeps the weakest capability that reaches a closed folder', t => {
  t.strictSame(becomingWith(unknown, bits(1, 2, 8)), [
    '--reuid=65534',
    '--regid=65534',
    '--clear-groups',
    '--securebits=+no_setuid_fixup',
    '--inh-caps=+dac_read_search',
    '--ambient-caps=+dac_read_search',
  ])
  t.strictSame(becomingWith(unknown, bits(1)).slice(3), [
    '--inh-caps=+dac_override',
    '--ambient-caps=+dac_override',
  ])
  t.equal(becomingWith(unknown, 0n).length, 3)
  t.end()
})

t.test('names one user of the system, whatever is in the name', t => {
  t.match(renderIdent('alice'), /^panel "alice" panel_api$/m)
  t.match(renderIdent('DOM\\a "b"'), /^panel "DOM\\a ""b""" postgres$/m)
  t.end()
})

t.test('finds the address from the state directory alone', t => {
  const stateDir = scratch(t)
  const socket = encodeURIComponent(`${stateDir}/socket`)
  t.equal(embeddedUrl(stateDir), `postgresql://${socket}:5432/panel?sslmode=disable`)
  t.equal(postgresPaths(stateDir).shortDir, undefined)
  t.end()
})
