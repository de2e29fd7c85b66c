#!/usr/bin/perl
# The panel's mail service: takes messages of accounts from a socket that every user may open, and
# hands each to this server's Postfix, or without one by msmtp to the relay that the administrator
# has set. The kernel states the sender (SO_PEERCRED), and root's files what that account may send.
# Its own user has nothing else.
# Written by the panel, which overwrites changes.
#
# `submit` has the listening socket as descriptor 3 (systemd); `submit PATH` listens itself.
use strict;
use Fcntl qw(:flock);
use POSIX qw(WNOHANG _exit);
use Socket qw(AF_UNIX SOCK_STREAM SOL_SOCKET SOMAXCONN SO_PEERCRED pack_sockaddr_un);

my ($files, $state) = qw(/etc/panel/mail /var/lib/panel-submit);
my $hosting = '/etc/panel-mail';
require "$files/message.pl";
require "$files/count.pl";
require "$files/smtp.pl";

# Bytes of a message, and of its headers.
my ($max_bytes, $max_headers) = (26_214_400, 131_072);
my $max_recipients = 100;
# Connections at a time, of all accounts and of each.
my ($max_all, $max_each) = (100, 20);
# Seconds: to receive a message, to wait for another one of the account, and to send it; msmtp
# itself waits shorter for each answer (the relay's file).
my ($read_s, $turn_s, $send_s) = (10, 2, 20);
# After a relay was that slow and failed, messages are refused at once for a while: otherwise each
# would keep a PHP process waiting.
my ($slow_s, $rest_s) = (4, 30);
my $idle_s = 60;

umask 077;
chdir '/';
%ENV = (PATH => '/usr/bin:/bin', HOME => '/nonexistent', LC_ALL => 'C');
$SIG{PIPE} = 'IGNORE';
# Interrupts the wait for connections.
$SIG{CHLD} = sub { };
my $program = version();
my $listener = listener(@ARGV);
my (%uid_of, %count);
my $used = time;

for (;;) {
  reap();
  # systemd starts it again for the next message, with the current program.
  exit 0 if !@ARGV && !%uid_of && time - $used > $idle_s;
  vec(my $readable = '', fileno($listener), 1) = 1;
  my $is_due = select($readable, undef, undef, 5) > 0;
  exit 0 if !@ARGV && version() ne $program;
  next if !$is_due;
  my $peer;
  accept($peer, $listener) or next;
  $used = time;
  reap();
  my ($pid, $uid) = unpack('iI', getsockopt($peer, SOL_SOCKET, SO_PEERCRED) // '');
  if (!defined $uid || keys %uid_of >= $max_all || ($count{$uid} // 0) >= $max_each) {
    answer($peer, 'no Too many messages are being sent at the same time');
    close $peer;
    next;
  }
  my $child = fork;
  if (!defined $child) {
    answer($peer, 'no The mail service of this server failed');
  } elsif ($child == 0) {
    close $listener;
    $SIG{CHLD} = 'DEFAULT';
    my $done = eval { serve($peer, $uid); 1 };
    answer($peer, $done ? 'ok' : 'no ' . sentence($@));
    _exit(0);
  } else {
    $uid_of{$child} = $uid;
    $count{$uid}++;
  }
  close $peer;
}

# Changes whenever the panel replaces the program, and when the server gets mailboxes: only a new
# process then has the group by which Postfix lets it in.
sub version {
  my @programs = map { "$files/$_" } qw(submit message.pl count.pl smtp.pl);
  return join('-', map { (stat $_)[1, 9] } @programs, "$hosting/host");
}

sub listener {
  my ($path) = @_;
  my $socket;
  if (!defined $path) {
    open($socket, '+<&=', 3) or die "There is no socket: $!\n";
    return $socket;
  }
  unlink $path;
  socket($socket, AF_UNIX, SOCK_STREAM, 0) && bind($socket, pack_sockaddr_un($path))
    && chmod(0666, $path) && listen($socket, SOMAXCONN)
    or die "$path: $!\n";
  return $socket;
}

sub reap {
  while ((my $pid = waitpid(-1, WNOHANG)) > 0) {
    my $uid = delete $uid_of{$pid};
    delete $count{$uid} if defined $uid && --$count{$uid} <= 0;
  }
}

sub answer {
  my ($peer, $words) = @_;
  # A peer that does not read has room for this line all the same.
  syswrite($peer, "$words\n");
}

# The first line of an error, without what a terminal or log would take for more.
sub sentence {
  my ($text) = $_[0] =~ /\A([^\n]*)/;
  $text =~ s/[^ -~]/?/g;
  return substr($text, 0, 400);
}

# Returns what root has allowed an account to send; dies where it may send nothing.
sub account {
  my ($uid) = @_;
  open(my $file, '<', "$files/accounts/$uid") or die "This user cannot send mail\n";
  my %account = (domains => {});
  while (<$file>) {
    $account{$1} = $2 if /\A(username|limit|slots) (\S+)\n\z/;
    $account{domains}{$1} = 1 if /\Adomain (\S+)\n\z/;
  }
  defined $account{slots} or die "This user cannot send mail\n";
  return \%account;
}

# Returns the name of this server's own mail server; undefined without one.
sub mail_host {
  open(my $file, '<', "$hosting/host") or return;
  return (<$file> // '') =~ /\A(\S+)\n\z/ ? $1 : undef;
}

# Returns the mail domains of an account, which Postfix takes mail for.
sub mail_domains {
  my ($uid) = @_;
  open(my $file, '<', "$hosting/script-domains") or return;
  return map { /\A(\S+) $uid\n\z/ ? $1 : () } <$file>;
}

# The domain of the senders of this server; dies without a relay.
sub relay_domain {
  open(my $file, '<', "$files/relay") or die "This server has no mail relay\n";
  my ($domain) = map { /\Adomain (\S+)\n\z/ } <$file>;
  defined $domain or die "This server has no mail relay\n";
  my $until = (stat "$state/resting")[9] // 0;
  $until <= time or die "The mail relay did not answer a moment ago\n";
  return $domain;
}

sub serve {
  my ($peer, $uid) = @_;
  my $account = account($uid);
  my $host = mail_host();
  my @own = defined $host ? mail_domains($uid) : ();
  my $own = "$$account{username}\@" . ($own[0] // $host // relay_domain());
  local $SIG{ALRM} = sub { die "The message did not arrive in time\n" };
  alarm $read_s;
  my ($head, $body) = receive($peer);
  alarm 0;
  my @headers = headers_of($head);
  my @recipients = recipients_of(@headers);
  @recipients or die "The message has no recipient\n";
  @recipients <= $max_recipients
    or die "The message has more than $max_recipients recipients\n";
  my %domains = (%{$$account{domains}}, map { $_ => 1 } @own);
  my ($rendered, $from) = render_headers($own, \%domains, @headers);
  my $message = temporary();
  print $message $rendered, "\n";
  seek($body, 0, 0);
  while (read($body, my $part, 65_536)) { print $message $part; }
  close $body;
  $message->flush && seek($message, 0, 0) or die "The mail service of this server has no space\n";
  my $turn = turn($uid, $$account{slots});
  # The account may have been suspended while it waited.
  $account = account($uid);
  count("$state/$uid", $$account{limit}, scalar @recipients);
  my $is_own = grep { lc $from =~ /\@\Q$_\E\z/ } @own;
  my ($by, $sent) = defined $host
    ? ('server', eval { queue($uid, $is_own ? $from : $own, $is_own, $message, @recipients); 1 })
    : ('relay', eval { deliver($own, $message, @recipients); 1 });
  return if $sent;
  my $error = $@;
  # What was refused is not counted; what was cut off may have been sent.
  count("$state/$uid", undef, -@recipients) if $error ne "cut\n";
  die $error eq "cut\n" ? "The mail $by did not answer in time\n" : $error;
}

# A file that has no name.
sub temporary {
  open(my $file, '+>', undef) or die "The mail service of this server has no space\n";
  binmode $file;
  return $file;
}

# Returns the headers as a text, and the body as a file, without carriage returns and zero bytes:
# a relay could take those for ends of lines, and of the message.
sub receive {
  my ($peer) = @_;
  my ($head, $body, $bytes) = ('', undef, 0);
  while (1) {
    my $read = sysread($peer, my $part, 65_536);
    defined $read or die "The message did not arrive\n";
    last if $read == 0;
    ($bytes += $read) <= $max_bytes or die "The message is larger than 25 MB\n";
    $part =~ tr/\0\r//d;
    if (defined $body) {
      print $body $part or die "The mail service of this server has no space\n";
      next;
    }
    $head .= $part;
    if ((my $end = index($head, "\n\n")) >= 0) {
      $body = temporary();
      print $body substr($head, $end + 2);
      $head = substr($head, 0, $end);
    }
    length $head <= $max_headers or die "The headers of the message are too long\n";
  }
  $body = temporary() if !defined $body;
  return ($head, $body);
}

# Waits for one of the account's slots: fewer than its PHP processes, so that a slow relay never
# keeps all of them. The slot is freed with the file.
sub turn {
  my ($uid, $slots) = @_;
  for (my $end = time + $turn_s; time <= $end; select(undef, undef, undef, 0.05)) {
    for my $slot (1 .. $slots) {
      open(my $file, '>>', "$state/$uid.slot$slot") or die "The mail service of this server failed\n";
      return $file if flock($file, LOCK_EX | LOCK_NB);
    }
  }
  die "Too many messages are being sent at the same time\n";
}

# Hands a message to Postfix, with its sender; dies with a sentence, or with "cut" if it took too
# long. It is signed only for a mail domain of the account: a website's may be another one's.
sub queue {
  my ($uid, $sender, $is_signed, $message, @recipients) = @_;
  my %of = (sender => $sender, recipients => \@recipients, message => $message);
  $of{login} = ($is_signed ? 'script-' : 'unsigned-') . $uid;
  local $SIG{ALRM} = sub { die "cut\n" };
  my $done = eval { alarm $send_s; hand_over('panel-scripts', %of); 1 };
  alarm 0;
  return if $done;
  my $error = $@;
  die $error if $error eq "cut\n";
  print STDERR sentence($error) . "\n";
  die $error =~ /\A[245]\d\d / ? "The mail server refused the message: " . sentence($error) . "\n"
    : "The mail server cannot be used now\n";
}

# Sends a message by msmtp; dies with a sentence, or with "cut" if it was ended. The recipients are
# valid addresses, and come after the end of the options.
sub deliver {
  my ($own, $message, @recipients) = @_;
  my $errors = temporary();
  my $since = time;
  my $pid = fork // die "The mail service of this server failed\n";
  if ($pid == 0) {
    setpgrp(0, 0);
    open(STDIN, '<&', $message) && open(STDERR, '>&', $errors) && open(STDOUT, '>&', $errors)
      or _exit(71);
    my @options = ("--file=$files/relay", '--account=panel', "--from=$own");
    exec { '/usr/bin/msmtp' } 'msmtp', @options, '--', @recipients;
    _exit(71);
  }
  # Both the group and the process: it may not have its group yet.
  my $is_cut = 0;
  local $SIG{ALRM} = sub { $is_cut = 1; kill 'KILL', -$pid, $pid; };
  alarm $send_s;
  waitpid($pid, 0) == $pid or waitpid($pid, 0);
  my $status = $?;
  alarm 0;
  return if $status == 0;
  rest() if time - $since >= $slow_s;
  die "cut\n" if $is_cut;
  seek($errors, 0, 0);
  read($errors, my $words, 10_000);
  # For the administrator: it may name the relay and its user, which are not the account's business.
  print STDERR map { sentence($_) . "\n" } grep { /\S/ } split /\n/, $words;
  # 77 (EX_NOPERM): the relay does not accept the panel's password.
  my ($reply) = $status >> 8 == 77 ? () : $words =~ /server message: ([245][0-9][0-9][^\n]*)/;
  die defined $reply ? "The mail relay refused the message: $reply\n"
    : "The mail relay cannot be used now\n";
}

# The time until which messages are refused is that of the file.
sub rest {
  open(my $file, '>>', "$state/resting") or return;
  close $file;
  utime(time, time + $rest_s, "$state/resting");
}
