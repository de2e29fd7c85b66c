# Reads a message of an account: finds its recipients, and renders it with a sender that is the
# account's own. Only what is rendered here is sent, so no other program reads the headers that an
# account wrote. Written by the panel, which overwrites changes.
use strict;

# An address as mail servers accept it without quotes (RFC 5321, section 4.1.2), in ASCII.
my $atom = qr/[A-Za-z0-9!#\$%&'*+\/=?^_`{|}~-]+/;
my $label = qr/[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?/;
my $address = qr/\A(?=.{1,254}\z)(?=[^@]{1,64}@)$atom(?:\.$atom)*\@($label(?:\.$label)+)\z/;

# Headers that state who sent a message, or where it goes besides its recipients.
my %dropped = map { $_ => 1 } qw(
  bcc return-path sender received delivered-to apparently-to errors-to return-receipt-to
  resent-from resent-sender resent-to resent-cc resent-bcc resent-date resent-message-id
);

# Splits headers, without the empty line after them, into [name, value]; a value keeps its folds.
# Dies with a sentence for the account.
sub headers_of {
  my ($text) = @_;
  my @headers;
  for my $line (split /\n/, $text) {
    if ($line =~ /\A([!-9;-~]{1,100})[ \t]*:(.*)\z/s) {
      push @headers, [$1, $2];
    } elsif (@headers && $line =~ /\A[ \t]/) {
      $headers[-1][1] .= "\n$line";
    } else {
      die "A line of the headers is not a header\n";
    }
  }
  return @headers;
}

# Returns the addresses of a header's value (RFC 5322, section 3.4); dies with a sentence.
sub addresses_of {
  my ($name, $value) = @_;
  my @found;
  my ($word, $angle) = ('', undef);
  my $finish = sub {
    my $one = defined $angle ? $angle : $word;
    $one =~ s/\A\s+|\s+\z//g;
    ($word, $angle) = ('', undef);
    return if $one eq '';
    $one =~ $address or die "A recipient in $name is not an e-mail address\n";
    push @found, $one;
  };
  pos($value) = 0;
  while (pos($value) < length $value) {
    if ($value =~ /\G\(/gc) {
      # A comment, which may contain others.
      for (my $depth = 1; $depth > 0;) {
        $value =~ /\G(?:\\.|[^()\\])*+([()])/gcs or die "$name has an open comment\n";
        $depth += $1 eq '(' ? 1 : -1;
      }
      $word .= ' ';
    } elsif ($value =~ /\G"(?:\\.|[^"\\])*+"/gcs) {
      # A name, or a quoted mailbox, which is not an address here.
      $word .= '"';
    } elsif ($value =~ /\G"/gc) {
      die "$name has an open quotation mark\n";
    } elsif ($value =~ /\G<([^<>"]*)>/gc) {
      defined $angle and die "A recipient in $name is not an e-mail address\n";
      $angle = $1;
    } elsif ($value =~ /\G[,;]/gc) {
      $finish->();
    } elsif ($value =~ /\G:/gc) {
      # The end of a group's name.
      $word = '';
    } else {
      $value =~ /\G(.)/gcs;
      $word .= $1;
    }
  }
  $finish->();
  return @found;
}

# Returns the recipients of these headers, each once.
sub recipients_of {
  my %seen;
  my @all = map { addresses_of($$_[0], $$_[1]) } grep { lc($$_[0]) =~ /\A(?:to|cc|bcc)\z/ } @_;
  return grep { !$seen{lc $_}++ } @all;
}

# Returns the headers with a sender of the account, and that sender: the first one in From that is an
# address at one of its domains, or else its own address.
#
# own: its own address; domains: a reference to its names, as keys
sub render_headers {
  my ($own, $domains, @headers) = @_;
  my @from = map { $$_[1] } grep { lc $$_[0] eq 'from' } @headers;
  my $from = @from ? $from[0] : '';
  my $sender = eval { (addresses_of('From', $from))[0] };
  my $is_own = defined $sender
    && (lc $sender eq lc $own || ($sender =~ $address && $$domains{lc $1}));
  my %has = map { lc $$_[0] => 1 } @headers;
  my @rendered = grep { !$dropped{lc $$_[0]} && lc $$_[0] ne 'from' } @headers;
  # Of several, or with a name that hides another address, only the address is kept.
  my $is_plain = @from == 1 && $from =~ /\A\s*(?:[A-Za-z0-9\x80-\xff .=?_&'+\/*!-]{0,200}|"[^"\\<>@\n]{0,200}")\s*
    <[^<>]*>\s*\z/x;
  my $phrase = $is_plain && $from =~ /\A\s*([^<\n]*?)\s*</ ? $1 : '';
  my $shown = $is_own ? $sender : $own;
  unshift @rendered, ['From', $phrase eq '' ? " $shown" : " $phrase <$shown>"];
  push @rendered, ['Reply-To', " $sender"] if defined $sender && !$is_own && !$has{'reply-to'};
  push @rendered, ['Date', ' ' . date_of(time)] if !$has{date};
  push @rendered, ['Message-ID', ' ' . message_id($own)] if !$has{'message-id'};
  return (join('', map { "$$_[0]:$$_[1]\n" } @rendered), $shown);
}

# Returns a time as headers have it (RFC 5322, section 3.3), in English in any locale.
sub date_of {
  my ($second, $minute, $hour, $day, $month, $year, $weekday) = gmtime $_[0];
  my $name = (qw(Sun Mon Tue Wed Thu Fri Sat))[$weekday];
  $month = (qw(Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec))[$month];
  my @numbers = ($day, $month, $year + 1900, $hour, $minute, $second);
  return sprintf("$name, %02d %s %d %02d:%02d:%02d +0000", @numbers);
}

sub message_id {
  my ($domain) = $_[0] =~ /\@(.*)/;
  open(my $random, '<:raw', '/dev/urandom') or die "The mail service failed\n";
  read($random, my $bytes, 16) == 16 or die "The mail service failed\n";
  return '<' . unpack('H*', $bytes) . "\@$domain>";
}

1;
