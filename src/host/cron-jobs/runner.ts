import { mailPhpFolder } from '../mail/paths.ts'

// The program with which cron starts a job. It runs as root, because only root can start a process
// in an account's slice and keep its output where the account cannot touch it. The job itself
// begins as the account. It is in Perl, whose base package every Debian has, and starts within
// milliseconds.

/** The folder of the program, and of accounts' command files. */
export const cronFolder = '/etc/panel/cron'

export const runnerFile = `${cronFolder}/run`

/** Reports of runs, until the worker has recorded them. */
export const runsFolder = '/var/lib/panel/cron-runs'

/** Locks and marks, which may be lost when the machine restarts. */
export const locksFolder = '/run/panel/cron'

/** In bytes: the end of a job's output that is kept. */
const outputLimit = 65_536

/** Like the properties of the unit of an account's PHP (src/host/php/unit.ts). */
const properties = [
  'NoNewPrivileges=true',
  'PrivateTmp=true',
  'PrivateDevices=true',
  'ProtectSystem=full',
  'ProtectControlGroups=true',
  'ProtectProc=invisible',
  'ReadOnlyPaths=/proc/sys',
  'InaccessiblePaths=-/run/systemd/journal',
  'InaccessiblePaths=-/home/.panel-mail',
  'LogLevelMax=notice',
  'OOMPolicy=continue',
  'TimeoutStopSec=10',
]

/**
 * Renders the program. `run UID ID [MARK]`, as root, runs a job of an account unless it is already
 * running; a job with the mark of its last start is not started again. `run --job UID ID` is the
 * job itself: it reads its command as the account, so that no job begins whose file a suspension
 * has removed. A job that has read its command before is ended by the suspension, as a process of
 * the account.
 */
export const renderRunner = (): string => `#!/usr/bin/perl
# Written by the panel, which overwrites changes.
use strict;
use Fcntl qw(:flock O_RDONLY O_NOFOLLOW);

my $limit = ${outputLimit};
my ($files, $runs, $locks) = qw(${cronFolder} ${runsFolder} ${locksFolder});
my $is_job = @ARGV && $ARGV[0] eq '--job' && shift @ARGV;
my ($uid, $id, $mark) = @ARGV;
(grep { !defined || !/\\A[1-9][0-9]{0,18}\\z/ } $uid, $id) and die "usage: run UID ID [MARK]\\n";
!defined $mark or $mark =~ /\\A[0-9a-f-]{1,40}\\z/ or die "MARK is wrong\\n";

sub start {
  exec { $_[0] } @_;
  exit 127;
}

sub lookup {
  my ($word) = @_;
  sysopen(my $file, "$files/$uid", O_RDONLY | O_NOFOLLOW) or return undef;
  while (my $line = <$file>) {
    return $1 if $line =~ /\\A$word (.+)\\n\\z/;
  }
  return undef;
}

if ($is_job) {
  my $command = lookup($id);
  defined $command or exit 0;
  $< == $uid && $> == $uid or die "not the account\\n";
  my ($name, $home) = (getpwuid($uid))[0, 7];
  defined $name && chdir $home or die "there is no home\\n";
  %ENV = (
    HOME => $home, USER => $name, LOGNAME => $name, SHELL => '/bin/sh', LANG => 'C.UTF-8',
    PATH => '/usr/local/bin:/usr/bin:/bin',
    # PHP reads this folder after its own ones: there mail() is set up.
    PHP_INI_SCAN_DIR => ':${mailPhpFolder}',
  );
  umask 027;
  exec { '/bin/sh' } 'sh', '-c', $command;
  die "sh cannot be started\\n";
}

umask 077;
chdir '/';
# Closed, so that the starting process does not wait.
open(STDIN, '<', '/dev/null');
open(STDOUT, '>', '/dev/null');
open(STDERR, '>', '/dev/null');
mkdir $_ for $locks, $runs;
# Not inherited by child processes (close-on-exec).
open(my $lock, '>>', "$locks/$uid-$id.lock") or exit 1;
flock($lock, LOCK_EX | LOCK_NB) or exit 0;
if (defined $mark) {
  my $known = '';
  if (open(my $file, '<', "$locks/$uid-$id.mark")) { $known = <$file> // ''; close $file; }
  exit 0 if $known eq $mark;
  open(my $file, '>', "$locks/$uid-$id.mark.new") or exit 1;
  print $file $mark;
  close $file and rename("$locks/$uid-$id.mark.new", "$locks/$uid-$id.mark") or exit 1;
}
defined lookup($id) or exit 0;
my ($seconds) = lookup('timeout') =~ /\\A([1-9][0-9]{0,6})\\z/ or exit 1;

my $started = now();
my $start = uptime();
# Seconds that no change of the clock affects.
sub uptime {
  open(my $file, '<', '/proc/uptime') or return time;
  return (split / /, <$file>)[0];
}
# Milliseconds; Perl itself would need more than its base package.
sub now {
  open(my $date, '-|', 'date', '+%s%3N') or return time * 1000;
  my $now = <$date>;
  return $now =~ /\\A([0-9]{13,15})\\n/ ? $1 : time * 1000;
}
# Replaces an earlier report of its kind that the worker has not read yet.
sub report {
  my ($kind, @text) = @_;
  my $name = "$uid-$id-$started.$kind";
  open(my $file, '>', "$runs/.$name") or return;
  binmode $file;
  print $file @text;
  close $file or return;
  my @old = grep { !/\\/\\Q$name\\E\\z/ } glob("$runs/$uid-$id-*.$kind");
  rename("$runs/.$name", "$runs/$name") and unlink @old;
}
report('start');

pipe(my $reader, my $writer) or exit 1;
my @job = ('perl', "$files/run", '--job', $uid, $id);
my $pid = fork;
defined $pid or exit 1;
if ($pid == 0) {
  close $reader;
  open(STDOUT, '>&', $writer);
  open(STDERR, '>&', $writer);
  close $writer;
  if (-d '/run/systemd/system') {
    my @how = qw(--quiet --pipe --wait --collect --service-type=exec);
    my @properties = map { "--property=$_" } "RuntimeMaxSec=$seconds", qw(
      ${properties.join('\n      ')}
    );
    my @who = ("--uid=$uid", "--gid=$uid", "--slice=user-$uid.slice");
    my @unit = ("--unit=panel-cron-$uid-$id-$started", @how, @properties, @who);
    start('systemd-run', @unit, '--', @job);
  }
  # Made by the worker where systemd is not running (src/host/accounts/cgroups.ts).
  if (open(my $group, '>', "/sys/fs/cgroup/panel/panel-$uid/cgroup.procs")) {
    print $group $$;
    close $group;
  }
  # In its own session, and without a way back to root.
  start('setpriv', "--reuid=$uid", "--regid=$uid", '--clear-groups', '--no-new-privs', '--',
    'setsid', '--wait', 'timeout', '--kill-after=10', $seconds, @job);
}
close $writer;
my $output = '';
# A process that the job has left behind may still write: the signal ends the read.
my $is_late = 0;
$SIG{ALRM} = sub { $is_late = 1 };
alarm($seconds + 30);
while (!$is_late && sysread($reader, my $part, 65_536)) {
  $output .= $part;
  $output = substr($output, -$limit) if length($output) > 2 * $limit;
}
kill 'KILL', $pid if $is_late;
waitpid($pid, 0);
alarm(0);
my $code = $? & 127 ? 255 : $? >> 8;
if (uptime() - $start >= $seconds) {
  # Like timeout(1).
  $code = 124;
  $output .= "\\n" if $output =~ /[^\\n]\\z/;
  $output .= 'The time limit of ' . $seconds / 60 . " min ended the run.\\n";
}
$output = substr($output, -$limit) if length($output) > $limit;
report('end', now(), "\\n", $code, "\\n", $output);
`
