#!/usr/bin/perl
# Answers Postfix whether a login may send to that many recipients now: a policy service of
# SMTPD_POLICY_README, asked at DATA. Those of the account's scripts count too. What a filter of a
# mailbox passes on has no login, and the mailbox as its sender.
# Written by the panel, which overwrites changes.
#
# `rates FILE` reads lines `LOGIN UID LIMIT` of the file.
use strict;

my ($files, $state) = qw(/etc/panel/mail /var/lib/panel-submit);
require "$files/count.pl";

umask 077;
chdir '/';
$| = 1;
my ($rates) = @ARGV;
my %request;
while (my $line = <STDIN>) {
  if ($line =~ /\A([a-z_]+)=(.*)\n\z/) {
    $request{$1} = $2;
  } elsif ($line eq "\n") {
    print 'action=', answer(%request), "\n\n";
    %request = ();
  }
}

sub answer {
  my (%request) = @_;
  my $login = lc($request{sasl_username} || $request{sender} || '');
  # An autoresponder's answer, one to each sender in a day.
  $login eq '' and return 'DUNNO';
  my ($uid, $limit) = rate_of($login);
  defined $uid or return '550 5.7.1 This login may not send';
  my $recipients = $request{recipient_count} || 1;
  eval { count("$state/$uid", $limit, $recipients); 1 } and return 'DUNNO';
  chomp(my $why = $@);
  return "450 4.7.1 $why";
}

# Read each time: it may have changed a moment ago.
sub rate_of {
  my ($login) = @_;
  open(my $file, '<', $rates) or return;
  while (<$file>) {
    return ($1, $2) if /\A\Q$login\E ([0-9]+) ([0-9]+)\n\z/;
  }
  return;
}
