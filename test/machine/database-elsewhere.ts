import type { Test } from 'tap'
import type { DebianMachine } from './debian-machine.ts'
import { openClient } from './installed.ts'
import { installer } from './refusals.ts'

// PostgreSQL that is reached by a network alone, with a user of its own and TLS. It runs on the
// same machine, as there is no other, and the panel does not know that.

const secret = 'the-password-of-a-database'
const words = ['--yes', '--hostname', 'panel.example.com']
const address = (mode: string, name = 'db.example.com') =>
  `postgresql://hoster:${secret}@${name}/hosting?sslmode=${mode}&sslrootcert=/etc/db-ca.pem`

// By a certificate for its name, which an authority of its own has signed.
const setUp = `set -e
cd /etc/postgresql
echo '127.0.0.1 db.example.com' >>/etc/hosts
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=db.example.com \
  -addext subjectAltName=DNS:db.example.com -keyout db.key -out db.pem 2>/dev/null
cp db.pem /etc/db-ca.pem
chown postgres db.key
config="ssl = on
ssl_cert_file = '$PWD/db.pem'
ssl_key_file = '$PWD/db.key'"
for folder in */main; do echo "$config" >$folder/conf.d/tls.conf; done
systemctl restart postgresql
runuser -u postgres -- psql -q -c "create role hoster login createrole password '${secret}'" \
  -c 'create database hosting owner hoster'`

/** A panel whose database is elsewhere: what the API's unit opens for it, and what it keeps. */
export async function showDatabaseElsewhere(t: Test, machine: DebianMachine): Promise<void> {
  await machine.must('sh', '-c', setUp)
  const install = (mode: string, name?: string) =>
    machine.run(['env', `DATABASE_URL=${address(mode, name)}`, ...installer, ...words])
  t.match(await install('require'), { code: 1, stderr: /add sslmode=verify-full/ })
  const result = await install('verify-full')
  t.equal(result.code, 0, result.stderr)
  const settings = () => machine.must('cat', '/etc/panel/panel.env')
  const before = await settings()
  const refused = await install('verify-full', 'db.invalid')
  t.match(refused, { code: 1, stderr: /Cannot connect to the database .*Nothing was changed/s })
  t.notMatch(refused.stderr, secret)
  t.equal(await settings(), before)
  const client = await openClient(machine)
  t.match(await client('PUT', '/packages/starter', {}), { status: /^20[01]$/ })
  const network = ['systemctl', 'show', '-P', 'PrivateNetwork', 'panel-api']
  t.equal((await machine.must(...network)).trim(), 'no')
  t.notMatch(await machine.must('ls', '/etc/postgresql'), /panel/)
  const seen = `ps axww -o args; journalctl -o cat; cat /var/log/panel/install.log`
  t.notMatch(result.stdout + result.stderr + (await machine.must('sh', '-c', seen)), secret)
  t.match(await machine.must('stat', '-c', '%a', '/etc/panel/panel.env'), /^600$/m)
  const purged = await machine.run(['panel', 'uninstall', '--purge', '--yes'])
  t.match(purged, {
    code: 0,
    stderr: /The database is on another server and was kept: drop its schemas/,
  })
}
