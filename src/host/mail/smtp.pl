# Hands a message to Postfix by SMTP, on a Unix socket that only some users may open.
# Written by the panel, which overwrites changes.
use strict;
use IO::Socket::UNIX;

# Hands over a message; dies with the refusal, as a line `CODE WORDS` in printable ASCII, or with
# words alone if Postfix does not answer.
#
# name: the service; of: the `sender`, references to the `recipients` and to the file of the
# `message`, and the `login` that Postfix takes it to be sent with, if any
sub hand_over {
  my ($name, %of) = @_;
  for my $address ($of{sender}, @{$of{recipients}}) {
    $address !~ /[\x00-\x20<>\x7f]/ or die "501 Not an address\n";
  }
  my $socket = IO::Socket::UNIX->new(Peer => "/var/spool/postfix/public/$name")
    or die "Postfix does not answer: $!\n";
  binmode $socket;
  binmode $of{message};
  reply($socket, 220);
  say_line($socket, 'EHLO localhost', 250);
  if (defined $of{login}) {
    say_line($socket, "XCLIENT LOGIN=$of{login}", 220);
    say_line($socket, 'EHLO localhost', 250);
  }
  say_line($socket, "MAIL FROM:<$of{sender}>", 250);
  say_line($socket, "RCPT TO:<$_>", 250) for @{$of{recipients}};
  say_line($socket, 'DATA', 354);
  my $message = $of{message};
  while (my $line = <$message>) {
    $line =~ s/\r?\n?\z//;
    $line =~ tr/\0\r//d;
    $line = ".$line" if $line =~ /\A\./;
    print $socket "$line\r\n";
  }
  say_line($socket, '.', 250);
  print $socket "QUIT\r\n";
  close $socket;
}

sub say_line {
  my ($socket, $line, $code) = @_;
  print $socket "$line\r\n";
  $socket->flush;
  reply($socket, $code);
}

sub reply {
  my ($socket, $expected) = @_;
  while (my $line = <$socket>) {
    next if $line =~ /\A\d{3}-/;
    return if $line =~ /\A$expected /;
    $line =~ s/[^ -~]//g;
    die "$line\n";
  }
  die "Postfix does not answer\n";
}

1;
