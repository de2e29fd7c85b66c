import t from 'tap'
import { namesIn } from '../../release/package-users.ts'
import packageNames from '../../src/model/grammar/package-names.json' with { type: 'json' }
import { userName, username } from '../../src/model/grammar/grammar.ts'
import { reservedUsernames } from '../../src/model/grammar/reserved-names.ts'

// The names that a package may take for its users and groups, as its files and scripts say.

const scripts: [script: string, names: string[]][] = [
  ['adduser --system --group --home /var/lib/foo --no-create-home foo', ['foo']],
  ['adduser --quiet --system --ingroup adm --shell=/bin/sh "foo-d" || true', ['adm', 'foo-d']],
  [
    '/usr/sbin/adduser \\\n  --system \\\n  --gecos "The daemon of foo" \\\n  foo >/dev/null',
    ['foo'],
  ],
  ['if ! getent group foo; then addgroup --system foo; fi', ['foo']],
  ['adduser foo ssl-cert', ['foo', 'ssl-cert']],
  [
    'useradd -r -g bar -G disk,kvm -d /run/foo -s /sbin/nologin -c "a b" foo',
    ['bar', 'disk', 'kvm', 'foo'],
  ],
  ['groupadd -r -f -g 64 foo 2>/dev/null', ['foo']],
  ['U=foo\nG="bar"\naddgroup --system $G; adduser --system --ingroup ${G} "$U"', ['bar', 'foo']],
  ['adduser --system ${FOO_USER:-foo}', ['foo']],
  [': ${FOO_USER:=foo}\nadduser --system "$FOO_USER"', ['foo']],
  ['NAME=foo\nRUNAS=$NAME-d\nadduser --system $RUNAS', ['foo-d']],
  ['for one in foo bar; do addgroup --system $one; done', ['foo', 'bar']],
  ['for one in `echo $X | tr a b`; do\nadduser $one foo\ndone', ['foo']],
  ['for one in $(getent group | sed p); do\nadduser $one foo\ndone', ['foo']],
  [
    'ARGS="--quiet --system --home /var/lib/foo foo"\nadduser ${ARGS} --uid 420 || adduser ${ARGS}',
    ['foo'],
  ],
  ['adduser --system --home $(echo ${DIR} | awk 1) --group foo', ['foo']],
  ['pkgos_var_user_group foo', ['foo']],
  // Names that no hosting account can have, and names that cannot be known in advance.
  ['adduser --system _foo; adduser --force-badname Debian-foo; addgroup f', []],
  ['adduser --system "$FROM_DEBCONF"', []],
  ['# adduser --system foo', []],
  ['echo "nothing is made"', []],
  ['A=$B\nB=$A\nadduser --system $A', []],
]

const sysusers: [text: string, names: string[]][] = [
  ['u foo - "The daemon of foo" /var/lib/foo', ['foo']],
  ['u! foo 64:bar', ['foo', 'bar']],
  ['g foo 64\n#g bar\nm foo disk\nr - 500-900', ['foo', 'disk']],
  ['u _foo -\nu FOO -\n\n', []],
]

t.test('the names in packages', async t => {
  for (const [script, names] of scripts) {
    t.strictSame(namesIn({ scripts: script, sysusers: '', lists: '' }), names, script)
  }
  for (const [text, names] of sysusers) {
    t.strictSame(namesIn({ scripts: '', sysusers: text, lists: '' }), names, text)
  }
  const lists = 'root:*:0:0:root:/root:/bin/bash\nwww-data:*:33:'
  t.strictSame(namesIn({ scripts: '', sysusers: '', lists }), ['root', 'www-data'])
})

t.test('no account gets the name of a user or group of the machine', async t => {
  const dangerous =
    'root sudo wheel adm disk shadow docker lxd incus incus-admin libvirt libvirt-qemu kvm ' +
    'zabbix jenkins rspamd gitlab-runner grafana prometheus elasticsearch mongodb redis ' +
    'rabbitmq postgres mysql haproxy tor-is-free'
  for (const name of dangerous.split(' ')) {
    t.equal(username.safeParse(name).success, name === 'tor-is-free', name)
  }
  // Only Debian 12's cockpit-ws makes these.
  for (const name of ['cockpit-ws', 'cockpit-wsinstance']) t.ok(name in packageNames, name)
  // Packages of non-free and contrib.
  for (const name of ['fex', 'nvpd']) t.ok(name in packageNames, name)
  for (const name of Object.keys(packageNames)) t.ok(reservedUsernames.has(name), name)
  for (const name of reservedUsernames) t.ok(userName.safeParse(name).success, name)
  t.ok(Object.keys(packageNames).length > 400)
})
