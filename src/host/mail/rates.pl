#!/usr/bin/perl
# Answers Postfix whether an account may send to that many recipients now: a policy service of
# SMTPD_POLICY_README. Those of the account's scripts count too.
#
# Asked at DATA, it counts the recipients of a login. What a filter of a mailbox passes on has no
# login, and the mailbox as its sender. Asked for each recipient, it counts the addresses elsewhere
# that an alias leads to, for the account of the alias.
# Written by the panel, which overwrites changes.
#
# `rates RATES FORWARDS` reads lines `LOGIN UID LIMIT` and `ADDRESS UID LIMIT COUNT`.
use strict;

my ($files, $state) = qw(/etc/panel/mail /var/lib/panel-submit);
require "$files/count.pl";

umask 077;
chdir '/';
$| = 1;
my ($rates, $forwards) = @ARGV;
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
  my $recipients = $request{recipient_count} || 1;
  return of_alias(%request) if ($request{protocol_state} // '') eq 'RCPT';
  my $login = lc($request{sasl_username} || $request{sender} || '');
  # An autoresponder's answer, one to each sender in a day.
  $login eq '' and return 'DUNNO';
  my ($uid, $limit) = find($rates, $login);
  defined $uid or return '550 5.7.1 This login may not send';
  return counted($uid, $limit, $recipients);
}

sub of_alias {
  my (%request) = @_;
  my $address = lc($request{recipient} // '');
  my ($local, $domain) = $address =~ /\A(.+)@([^@]+)\z/ or return 'DUNNO';
  # Postfix looks an address up in this order.
  my ($plain) = split /\+/, $local;
  my ($uid, $limit, $count);
  for my $key ($address, "$plain\@$domain", "\@$domain") {
    ($uid, $limit, $count) = find($forwards, $key) and last;
  }
  my $login = lc($request{sasl_username} // '');
  my ($own) = $login =~ /\A(?:script|unsigned)-([0-9]+)\z/ ? $1 : find($rates, $login);
  # The alias itself counts as a recipient of its own account already.
  $count-- if $count && defined $own && $own == $uid;
  return $count ? counted($uid, $limit, $count) : 'DUNNO';
}

sub counted {
  my ($uid, $limit, $more) = @_;
  eval { count("$state/$uid", $limit, $more); 1 } and return 'DUNNO';
  chomp(my $why = $@);
  return "450 4.7.1 $why";
}

# Returns the numbers of a line. The file is read each time: it may have changed a moment ago.
sub find {
  my ($path, $key) = @_;
  open(my $file, '<', $path) or return;
  while (<$file>) {
    return split ' ', $1 if /\A\Q$key\E ([0-9 ]+)\n\z/;
  }
  return;
}
