#!/usr/bin/perl
# Hands what filters of mailboxes send to Postfix, by SMTP on a socket that only Dovecot's mail
# processes may open: they run as the account, whose other programs may not send without a login.
# Written by the panel, which overwrites changes.
#
# `filter -i -f SENDER -- RECIPIENT …` reads the message from standard input, as sendmail(1) does.
use strict;
use IO::Socket::UNIX;

my ($sender, @recipients);
while (defined(my $word = shift @ARGV)) {
  if ($word eq '--') { @recipients = @ARGV; last }
  elsif ($word eq '-f') { $sender = shift @ARGV }
  elsif ($word !~ /\A-/) { push @recipients, $word }
}
defined $sender && @recipients or die "A sender and recipients are needed\n";
$sender =~ s/\A<(.*)>\z/$1/;
for my $address ($sender, @recipients) {
  $address !~ /[\x00-\x20<>\x7f]/ or die "Not an address\n";
}
alarm 60;
my $socket = IO::Socket::UNIX->new(Peer => '/var/spool/postfix/public/panel-filters')
  or die "Postfix does not answer: $!\n";
binmode STDIN;
reply(220);
say_line("EHLO localhost", 250);
say_line("MAIL FROM:<$sender>", 250);
say_line("RCPT TO:<$_>", 250) for @recipients;
say_line('DATA', 354);
while (my $line = <STDIN>) {
  $line =~ s/\r?\n?\z//;
  $line =~ tr/\0\r//d;
  $line = ".$line" if $line =~ /\A\./;
  print $socket "$line\r\n";
}
say_line('.', 250);
print $socket "QUIT\r\n";

sub say_line {
  my ($line, $code) = @_;
  print $socket "$line\r\n";
  $socket->flush;
  reply($code);
}

# A refusal ends with 75, which has Dovecot try again, or 69 if that is no use.
sub reply {
  my ($expected) = @_;
  while (my $line = <$socket>) {
    next if $line =~ /\A\d{3}-/;
    return if $line =~ /\A$expected /;
    $line =~ s/[^ -~]//g;
    print STDERR "$line\n";
    exit($line =~ /\A5/ ? 69 : 75);
  }
  exit 75;
}
