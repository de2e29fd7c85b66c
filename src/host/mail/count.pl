# Counts recipients of the last hour of each account, by minutes. The files belong to the mail
# service: no account can reset them.
# Written by the panel, which overwrites changes.
use strict;
use Fcntl qw(:flock O_CREAT O_RDWR);

# Counts more recipients of an account; dies if they would be more than the limit.
sub count {
  my ($path, $limit, $more) = @_;
  my $file;
  sysopen($file, $path, O_RDWR | O_CREAT) && flock($file, LOCK_EX)
    or die "The mail service of this server failed\n";
  my $now = int(time / 60);
  my %of = map { /\A([0-9]+) ([0-9]+)\n\z/ && $1 > $now - 60 && $1 <= $now ? ($1, $2) : () } <$file>;
  my $total = $more;
  $total += $_ for values %of;
  if (defined $limit && $total > $limit) {
    die "The limit of $limit recipients an hour is reached\n";
  }
  $of{$now} = ($of{$now} // 0) + $more;
  delete $of{$now} if $of{$now} <= 0;
  seek($file, 0, 0);
  truncate($file, 0);
  print $file map { "$_ $of{$_}\n" } sort keys %of;
  close $file or die "The mail service of this server has no space\n";
}

1;
