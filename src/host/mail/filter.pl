#!/usr/bin/perl
# Hands what filters of mailboxes send to Postfix, by SMTP on a socket that only Dovecot's mail
# processes may open: they run as the account, whose other programs may not send without a login.
# Written by the panel, which overwrites changes.
#
# `filter -i -f SENDER -- RECIPIENT …` reads the message from standard input, as sendmail(1) does.
# A refusal ends with 75, which has Dovecot try again, or 69 if that is no use.
use strict;

require '/etc/panel/mail/smtp.pl';

my ($sender, @recipients);
while (defined(my $word = shift @ARGV)) {
  if ($word eq '--') { @recipients = @ARGV; last }
  elsif ($word eq '-f') { $sender = shift @ARGV }
  elsif ($word !~ /\A-/) { push @recipients, $word }
}
defined $sender && @recipients or die "A sender and recipients are needed\n";
$sender =~ s/\A<(.*)>\z/$1/;
alarm 60;
my %of = (sender => $sender, recipients => \@recipients, message => \*STDIN);
exit 0 if eval { hand_over('panel-filters', %of); 1 };
print STDERR $@;
exit($@ =~ /\A5/ ? 69 : 75);
