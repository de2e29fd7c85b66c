import type { HostAccount } from '../../model/accounts/host-account.ts'
import { mailboxAddress, partsOf } from '../../model/mail/mail-grammar.ts'
import type { Machine } from '../contract.ts'
import type { RestorableParts, RestoredPart } from '../kept.ts'
import { isThere } from '../tools/files.ts'
import { homeOfMailbox, mailboxesOf } from './paths.ts'
import { domainsOf, mailboxesIn } from './rendering.ts'

// The mail of a backup joins what a mailbox has now: people get mail while they restore. Dovecot
// finds messages by the names of their files, and gives new numbers to those that come back.

/** Mailboxes, as a backup has them. */
export const restorableMailboxes: RestorableParts<Machine> = {
  partOf(path) {
    const [domain, local] = path.split('/')
    return local === undefined ? undefined : mailboxAddress.safeParse(`${local}@${domain}`).data
  },
  pathOf: pathOfMailbox,
  async openPresent(machine, uid, names) {
    const all = names === 'all' ? [mailboxesOf(uid)] : names.map(name => pathOfMailbox(uid, name))
    const present = await listMessages(machine, uid, all)
    return path => present.has(baseOf(path))
  },
  restore: restoreMailbox,
}

function pathOfMailbox(uid: number, address: string): string {
  const { local, domain } = partsOf(address)
  return homeOfMailbox(uid, domain, local)
}

// The part of a message's file name that stays the same when it is read or flagged.
const baseOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1).split(':')[0]!

// As the account, which may have put links there.
async function listMessages(
  machine: Machine,
  uid: number,
  folders: readonly string[],
): Promise<Set<string>> {
  const found = new Set<string>()
  const there = folders.map(folder => machine.path(folder)).filter(isThere)
  if (there.length === 0) return found
  const onLine = (line: string) => void found.add(baseOf(line))
  const args = [...there, '-type', 'f', '-path', '*/Maildir/*', '-printf', '%f\n']
  // 1: a message was moved meanwhile.
  await machine.run('find', args, { as: uid, onLine, acceptedCodes: [1], timeoutMs: longMs })
  return found
}

const longMs = 600_000

/**
 * Adds messages, folders and filters of a backup that a mailbox no longer has; may run twice.
 * Returns false if the account has no such mailbox.
 */
async function restoreMailbox(
  machine: Machine,
  account: HostAccount,
  { name, staged, signal }: RestoredPart,
): Promise<boolean> {
  const { local, domain } = partsOf(name)
  const found = domainsOf(account).find(one => one.domain === domain)
  if (found === undefined || !mailboxesIn(found).some(one => one.localPart === local)) return false
  const home = machine.path(homeOfMailbox(account.uid, domain, local))
  if (!isThere(home)) return false
  // As the account, which may have put links anywhere in it.
  await machine.run('perl', ['-e', mergeScript, home], {
    ...{ as: account.uid, cwd: staged, signal, timeoutMs: limitMs },
  })
  return true
}

const limitMs = 240_000

// In the mailbox of the backup; the argument is the mailbox as it is. Letters of a to z in a file's
// name are labels, which each folder numbers for itself.
const mergeScript = String.raw`use strict;
my ($to) = @ARGV;
sub names { opendir(my $in, $_[0]) or return (); grep { !/^\.\.?$/ } readdir $in }
sub text { open(my $in, '<', $_[0]) or return ''; local $/; scalar <$in> }
sub write_text {
  my ($path, $mode, $text) = @_;
  open(my $out, $mode, $path) or die "$path: $!\n";
  print $out $text;
  close($out) or die "$path: $!\n";
}
sub make { -d $_[0] or mkdir($_[0], 0700) or die "$_[0]: $!\n" }
sub is_file { lstat($_[0]) && -f _ }
sub move { rename($_[0], $_[1]) or die "$_[1]: $!\n" }
make("$to/Maildir");
for my $folder ('', map { "/$_" } grep { /^\./ } names('Maildir')) {
  my ($from, $into) = ("Maildir$folder", "$to/Maildir$folder");
  next unless -d "$from/cur" && !-l $from;
  make($_) for $into, map { "$into/$_" } qw(cur new tmp);
  if ($folder ne '' && !-e "$into/maildirfolder") { write_text("$into/maildirfolder", '>', '') }
  my $labels = text("$from/dovecot-keywords");
  if ($labels ne '' && !-e "$into/dovecot-keywords") {
    write_text("$into/dovecot-keywords", '>', $labels);
  }
  my $same = $labels ne '' && text("$into/dovecot-keywords") eq $labels;
  my %known = map { /^([^:]*)/; $1 => 1 } map { names("$into/$_") } qw(cur new);
  for my $part (qw(cur new)) {
    for my $name (names("$from/$part")) {
      my ($base, $flags) = $name =~ /^([^:]+)(.*)$/s or next;
      next if $known{$base}++ || !is_file("$from/$part/$name");
      $flags =~ tr/a-z//d unless $same;
      move("$from/$part/$name", "$into/$part/$base$flags");
    }
  }
}
my $list = "$to/Maildir/subscriptions";
my %listed = map { $_ => 1 } split /\n/, text($list);
my @more = grep { $_ ne '' && !$listed{$_} } split /\n/, text('Maildir/subscriptions');
if (!-e $list) { write_text($list, '>', text('Maildir/subscriptions')) if @more }
elsif (@more) { write_text($list, '>>', join('', map { "$_\n" } @more)) }
if (-d 'sieve' && !-l 'sieve') {
  make("$to/sieve");
  for my $name (grep { /\.sieve$/ && is_file("sieve/$_") } names('sieve')) {
    move("sieve/$name", "$to/sieve/$name") unless -e "$to/sieve/$name" || -l "$to/sieve/$name";
  }
}
my $active = readlink('.dovecot.sieve');
if (defined $active && !-e "$to/.dovecot.sieve" && !-l "$to/.dovecot.sieve") {
  symlink($active, "$to/.dovecot.sieve") or die "$to/.dovecot.sieve: $!\n";
}
`
