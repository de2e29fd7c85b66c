import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { fingerprintOf, publicKey, publicKeyLine } from '../../src/model/sftp-keys/public-keys.ts'

const folder = t.testdir()
const made = (name: string, ...flags: string[]) => {
  const file = join(folder, name)
  execFileSync('ssh-keygen', ['-q', '-N', '', '-C', 'alice@home pc', '-f', file, ...flags])
  return { line: readFileSync(`${file}.pub`, 'utf8'), file }
}
const refusalOf = (text: string) => publicKeyLine.safeParse(text).error?.issues[0]?.message
const ed25519 = made('ed25519', '-t', 'ed25519')

t.test('a key of each kind is read, and identified as ssh-keygen does', async t => {
  const all = [
    ed25519,
    made('p256', '-t', 'ecdsa', '-b', '256'),
    made('p384', '-t', 'ecdsa', '-b', '384'),
    made('p521', '-t', 'ecdsa', '-b', '521'),
    made('rsa', '-t', 'rsa', '-b', '2048'),
  ]
  for (const { line, file } of all) {
    const { key, comment } = publicKeyLine.parse(`  ${line}\n`)
    t.equal(`${key} alice@home pc\n`, line)
    t.equal(comment, 'alice@home pc')
    t.equal(publicKey.parse(key), key)
    const output = execFileSync('ssh-keygen', ['-lf', `${file}.pub`], { encoding: 'utf8' })
    t.equal(fingerprintOf(key), output.split(' ')[1])
  }
})

const string = (bytes: Buffer | string) => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(Buffer.byteLength(bytes))
  return Buffer.concat([length, Buffer.from(bytes)])
}
const keyOf = (kind: string, ...parts: (Buffer | string)[]) =>
  `${kind} ${Buffer.concat([kind, ...parts].map(string)).toString('base64')}`
const random = Buffer.alloc(32, 7)

t.test('security keys are read, by which sshd asks for a touch', async t => {
  const kind = 'sk-ssh-ed25519@openssh.com'
  t.equal(refusalOf(keyOf(kind, random, 'ssh:')), undefined)
  t.match(refusalOf(keyOf(kind, random, 'https://elsewhere')), /incomplete or damaged/)
  t.match(refusalOf(keyOf(kind, random)), /incomplete or damaged/)
})

t.test('anything else is refused with a sentence, options above all', async t => {
  const [kind = '', base64 = ''] = ed25519.line.split(' ')
  const point = Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 1)])
  const short = made('short', '-t', 'rsa', '-b', '1024').line
  const refused: [string, RegExp][] = [
    ['', /must begin with ssh-ed25519/],
    [`command="/bin/sh" ${ed25519.line}`, /nothing before it/],
    [`no-pty,${ed25519.line}`, /nothing before it/],
    [`constructor ${Buffer.from(string('constructor')).toString('base64')}`, /must begin with/],
    [readFileSync(ed25519.file, 'utf8'), /private key/],
    ['---- BEGIN SSH2 PUBLIC KEY ----', /OpenSSH format/],
    [`${ed25519.line}${ed25519.line}`, /must be one line/],
    [`${kind} ${base64}\ncommand="x" ${kind} ${base64}`, /must be one line/],
    [`${kind} ${base64}\u0000`, /one line/],
    [`${kind} ${base64.slice(0, -1)}`, /incomplete or damaged/],
    [`${kind} ${base64}=`, /incomplete or damaged/],
    [`${kind} ${base64.replace('A', '*')}`, /incomplete or damaged/],
    [kind, /incomplete or damaged/],
    [`ssh-rsa ${base64}`, /incomplete or damaged/],
    [keyOf(kind, Buffer.alloc(31)), /incomplete or damaged/],
    [keyOf(kind, random, 'more'), /incomplete or damaged/],
    [keyOf('ecdsa-sha2-nistp256', 'nistp256', point), /incomplete or damaged/],
    [keyOf('ssh-rsa', Buffer.from([1, 0, 1]), Buffer.alloc(300)), /incomplete or damaged/],
    [keyOf('ssh-dss', random), /no longer safe/],
    [keyOf('ssh-ed25519-cert-v01@openssh.com', random), /must begin with/],
    [short, /has 1024 bits/],
    [`${kind} ${'A'.repeat(5_000)}`, /longer than any key/],
  ]
  for (const [text, sentence] of refused) t.match(refusalOf(text), sentence, text.slice(0, 60))
  t.notOk(publicKey.safeParse(ed25519.line.trim()).success, 'kept without its comment')
  t.notOk(publicKey.safeParse(`${kind} ${base64}\n`).success)
})
