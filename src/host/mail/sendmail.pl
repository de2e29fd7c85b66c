#!/usr/bin/perl
# Hands a message on standard input to the panel's mail service. PHP's mail() starts it, with any
# arguments that a script adds: it ignores all of them, as the service takes the recipients from the
# message and chooses the sender. Written by the panel, which overwrites changes.
use strict;
use Socket qw(AF_UNIX SOCK_STREAM SHUT_WR pack_sockaddr_un);

# PHP logs the line and returns false. It takes 75, EX_TEMPFAIL, for success.
sub refuse {
  print STDERR "mail(): $_[0]\n";
  exit 69;
}

$SIG{PIPE} = 'IGNORE';
$SIG{ALRM} = sub { refuse('The mail service of this server did not answer in time') };
# The service answers within 40 seconds.
alarm 45;
my $service;
socket($service, AF_UNIX, SOCK_STREAM, 0)
  && connect($service, pack_sockaddr_un('/run/panel/mail/submit.sock'))
  or refuse('The mail service of this server is not running');
binmode STDIN;
binmode $service;
MESSAGE: while (sysread(STDIN, my $part, 65_536)) {
  # A refused message is not read to its end.
  for (my $at = 0; $at < length $part;) {
    $at += syswrite($service, $part, length($part) - $at, $at) || last MESSAGE;
  }
}
shutdown($service, SHUT_WR);
my $answer = '';
while (sysread($service, $answer, 1_000, length $answer)) { }
$answer =~ /\Aok\n/ and exit 0;
refuse($answer =~ /\Ano ([ -~]{1,500})\n/ ? $1 : 'The mail service of this server failed');
