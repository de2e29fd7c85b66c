import type { Htaccesses, HtaccessFolders, HtaccessLimits, Machine } from '../contract.ts'

// Reads .htaccess files as the account that owns them, with a program that may be as confused by
// them as it likes: it has no more rights than the account, and limits on everything.

// In characters, of all files together.
const outputLimit = 4_000_000

/**
 * Each path is followed by its file's content, then come the links, and last whether that was all.
 */
export async function readHtaccess(
  run: Machine['run'],
  uid: number,
  { home, folders }: HtaccessFolders,
  { timeoutMs, files, links, bytes }: HtaccessLimits,
): Promise<Htaccesses> {
  const found: Htaccesses = { files: [], links: [], isWhole: true }
  if (folders.length === 0) return found
  const words = [...[timeoutMs / 1_000, files, links, bytes].map(String), home, ...folders]
  const idly = ['-n', '19', 'ionice', '-c', '3']
  const text = await run('nice', [...idly, 'perl', '-e', script, '--', ...words], {
    ...{ as: uid, outputLimit, timeoutMs: timeoutMs + 5_000 },
  })
  // If the program was cut off, its last part is incomplete.
  const parts = text.split('\0').slice(0, -1)
  for (let index = 0; index + 2 < parts.length; index += 3) {
    const [kind, path = '', more = ''] = parts.slice(index, index + 3)
    if (kind === 'link') found.links.push({ path, target: more })
    else found.files.push({ path, text: more })
  }
  found.isWhole = parts.length % 3 === 1 && parts.at(-1) === 'whole'
  return found
}

const script = `
use strict;
use Cwd 'realpath';
use Fcntl;
my ($seconds, $max, $links, $bytes, $home, @folders) = @ARGV;
my @file = qw(-name .htaccess -type f -printf f%H\\0%p\\0);
my @link = qw(-type l -xtype d -printf l%H\\0%p\\0);
open(STDERR, '>', '/dev/null');
my ($end, $whole, @roots, %seen) = (time + $seconds, 1);
local $/ = "\\0";
# Targets of links may contain further links.
LOOK: while (@folders) {
  my @now = splice(@folders);
  push(@roots, @now);
  my $left = $end - time;
  if ($left <= 0) { $whole = 0; last; }
  my @timeout = ('timeout', '--foreground', '-s', 'KILL', $left);
  my @which = ('-xdev', '(', @file, '-o', @link, ')');
  open(my $found, '-|', @timeout, 'find', '-P', @now, @which) or exit 1;
  while (my $root = <$found>) {
    my $path = <$found>;
    # The last name may be truncated.
    chomp($root) && defined($path) && chomp($path) or last;
    if (substr($root, 0, 1, '') eq 'l') { follow($path, $root); }
    # A nested folder is found twice.
    elsif (!$seen{$path}++) { show($path) or last LOOK; }
  }
  close($found);
  # Folders that find could not open do not count as out of time.
  $whole = 0 if ($? & 127) || ($? >> 8) > 1;
}
print $whole ? "whole\\0" : "part\\0";

sub is_in { my ($path, $folder) = @_; return index("$path/", "$folder/") == 0; }

sub follow {
  my ($path, $root) = @_;
  return if $links < 0;
  my $target = realpath($path);
  return if !defined($target) || $target eq $home || !is_in($target, $home);
  return if is_in($target, $root);
  if (--$links < 0) { $whole = 0; return; }
  print "link\\0$path\\0$target\\0";
  push(@folders, $target) unless grep { is_in($target, $_) } @roots, @folders;
}

sub show {
  my ($path) = @_;
  if (--$max < 0) { $whole = 0; return 0; }
  # It may have been replaced by now.
  sysopen(my $file, $path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) or return 1;
  -f $file or return 1;
  my $text = '';
  while (length($text) <= $bytes) {
    sysread($file, $text, $bytes + 1 - length($text), length($text)) or last;
  }
  if (length($text) > $bytes) { $whole = 0; $text = substr($text, 0, $bytes); }
  $text =~ tr/\\0//d;
  print "file\\0$path\\0$text\\0";
  return 1;
}
`
