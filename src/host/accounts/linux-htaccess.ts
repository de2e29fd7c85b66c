import type { Htaccess, Htaccesses, HtaccessLimits, Machine } from '../contract.ts'

// Reads .htaccess files as the account whose they are, by a program that may be whatever it likes
// about them: it has no more rights than whoever put them there, and limits on all that it does.

// Characters of all files together.
const outputLimit = 4_000_000

/** Each path with what is in its file, and at the end whether that was all. */
export async function readHtaccess(
  run: Machine['run'],
  uid: number,
  folders: readonly string[],
  { timeoutMs, files, bytes }: HtaccessLimits,
): Promise<Htaccesses> {
  if (folders.length === 0) return { files: [], isWhole: true }
  const limits = [timeoutMs / 1_000, files, bytes].map(String)
  const idly = ['-n', '19', 'ionice', '-c', '3']
  const text = await run('nice', [...idly, 'perl', '-e', script, '--', ...limits, ...folders], {
    ...{ as: uid, outputLimit, timeoutMs: timeoutMs + 5_000 },
  })
  // A program that was cut off ends in the middle of a part.
  const parts = text.split('\0').slice(0, -1)
  const found: Htaccess[] = []
  for (let index = 0; index + 1 < parts.length; index += 2) {
    found.push({ path: parts[index] ?? '', text: parts[index + 1] ?? '' })
  }
  return { files: found, isWhole: parts.length % 2 === 1 && parts.at(-1) === 'whole' }
}

const script = `
use strict;
use Fcntl;
my ($seconds, $most, $bytes, @folders) = @ARGV;
my @which = qw(-xdev -name .htaccess -type f -print0);
open(STDERR, '>', '/dev/null');
my @timeout = ('timeout', '--foreground', '-s', 'KILL', $seconds);
open(my $found, '-|', @timeout, 'find', '-P', @folders, @which) or exit 1;
my ($count, $whole) = (0, 1);
local $/ = "\\0";
while (my $path = <$found>) {
  # The last one may be half a name.
  chomp($path) or last;
  if (++$count > $most) { $whole = 0; last; }
  # It may be something else by now.
  sysopen(my $file, $path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) or next;
  -f $file or next;
  my $text = '';
  while (length($text) <= $bytes) {
    sysread($file, $text, $bytes + 1 - length($text), length($text)) or last;
  }
  if (length($text) > $bytes) { $whole = 0; $text = substr($text, 0, $bytes); }
  $text =~ tr/\\0//d;
  print "$path\\0$text\\0";
}
close($found);
# What find could not look into is nothing that it was kept from in time.
$whole = 0 if ($? & 127) || ($? >> 8) > 1;
print $whole ? "whole\\0" : "part\\0";
`
