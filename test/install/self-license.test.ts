import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { isValid, toLicense, whyNoSelfLicense } from '../../src/install/self-license.ts'
import {
  howToLicense,
  type License,
  maySignOwn,
  parseKey,
  parseLicense,
  publicHalf,
  requirePaid,
  signLicense,
  vendorKey,
  whyInvalid,
} from '../../src/model/server/license.ts'
import { inMs, vendor } from '../support/cli/licenses.ts'
import { database } from '../support/database.ts'

t.test('a license that is signed is one that is taken', async t => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const key = parseKey(publicKey.export({ format: 'der', type: 'spki' }).toString('base64'))
  const [serverId, expiresAt] = [randomUUID(), new Date(Date.now() + 1_000)]
  const license = { plan: 'own', maxAccounts: 10_000, serverId, expiresAt }
  const read = parseLicense(signLicense(license, privateKey), key)
  t.strictSame(read, license)
  t.equal(whyInvalid(read, serverId, new Date()), undefined)
  const other = generateKeyPairSync('ed25519').privateKey
  t.throws(() => parseLicense(signLicense(license, other), key), /not signed by the vendor/)
})

t.test('a server with a vendor, or a valid license of one, signs none', t => {
  const ownFile = join(t.testdir(), 'vendor.pem')
  const own = generateKeyPairSync('ed25519').privateKey
  writeFileSync(ownFile, own.export({ format: 'pem', type: 'pkcs8' }))
  const [mine, foreign] = [publicHalf(own), vendor().key]
  const cases: [key: string, file: string, isLicensed: boolean, why: RegExp | undefined][] = [
    [vendorKey, '/nowhere/vendor.pem', false, undefined],
    [vendorKey, '/nowhere/vendor.pem', true, /already installed/],
    [vendorKey, ownFile, false, undefined],
    [vendorKey, ownFile, true, /already installed/],
    [mine, ownFile, false, undefined],
    [mine, ownFile, true, undefined],
    [mine, '/nowhere/vendor.pem', false, /names a vendor/],
    [foreign, '/nowhere/vendor.pem', false, /names a vendor/],
    [foreign, ownFile, false, /names a vendor/],
    [foreign, ownFile, true, /names a vendor/],
  ]
  for (const [key, file, isLicensed, why] of cases) {
    const output = whyNoSelfLicense(key, isLicensed, true, file)
    if (why === undefined) t.equal(output, undefined)
    else t.match(output, why)
    t.match(whyNoSelfLicense(key, isLicensed, false, file), /Only the vendor of this release/)
    t.equal(maySignOwn(key, true, file), !/names a vendor/.test(String(why)))
    t.notOk(maySignOwn(key, false, file))
  }
  t.end()
})

t.test('signing their own is suggested only to servers that may', t => {
  const [serverId, now] = [randomUUID(), new Date()]
  const paid = { plan: 'small', maxAccounts: 1, serverId, expiresAt: new Date(now.getTime() + 1) }
  t.equal(requirePaid(paid, serverId, now, false), paid)
  const refused = (license?: License, reason?: RegExp) => (isOwn: boolean) => {
    try {
      return requirePaid(license, serverId, now, isOwn)
    } catch (error) {
      t.match(error, { code: 'license_invalid', message: reason })
      return (error as Error).message
    }
  }
  const ways = [
    refused(undefined, /^This server has no valid license: its administrator installs one \(/),
    refused({ ...paid, expiresAt: now }, /^The license has expired: the server's administrator /),
    refused({ ...paid, serverId: randomUUID() }, /^The license is for another server: .* another /),
    refused({ ...paid, plan: 'free' }, /^The license is not a paid one: /),
  ]
  for (const say of [...ways, howToLicense, toLicense]) {
    t.match(say(true), /panel license install[^]*panel install --self-license/)
    t.match(say(false), 'panel license install')
    t.notMatch(say(false), '--self-license')
  }
  t.end()
})

t.test('a license counts as installed only where it is valid', async t => {
  const { url, pool } = await database(t)
  const { rows } = await pool.query('select id from panel.server')
  const server_id = rows[0].id as string
  const file = join(t.testdir(), 'license')
  const { key, license } = vendor()
  const other = license({ server_id: randomUUID() })
  const none = new URL(url)
  none.pathname += '_is_not_there'
  t.notOk(await isValid(file, key, url), 'there is none')
  for (const [text, desired, at = url] of [
    [license({ server_id }), true],
    [license({ server_id }), true, none.href],
    [license({ server_id, expires_at: inMs(-1_000) }), false],
    [license({ server_id, expires_at: inMs(-1_000) }), false, none.href],
    [license({ server_id, plan: 'free' }), false],
    [other, false],
    [other, true, none.href],
    [vendor().license({ server_id }), false],
    ['', false],
    ['\0', false],
  ] as [text: string, desired: boolean, at?: string][]) {
    writeFileSync(file, text)
    t.equal(await isValid(file, key, at), desired)
  }
  t.notOk(await isValid(file, 'no key', url))
})
