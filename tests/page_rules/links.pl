# perl links.pl PAGE...: names each link of the pages that leads nowhere: to a file that is not there, or to a heading that a page
# does not have. Addresses of other hosts are not asked for.
use strict;
use warnings;

my ($bad, $links) = (0, 0);

sub text_of {
    my ($file) = @_;
    open my $in, '<', $file or die "$file: $!\n";
    local $/;
    my $text = <$in>;
    # What is code has no links and no headings.
    $text =~ s/^(```|~~~).*?^\1[ \t]*$/$& =~ s{[^\n]}{}gr/gmse;
    return $text;
}

# As a heading is named in an address: small letters, without marks, spaces as dashes; a second one alike gets a number.
my %anchors;
sub anchors_of {
    my ($file) = @_;
    return $anchors{$file} if $anchors{$file};
    my (%there, %times);
    for (text_of($file) =~ /^#{1,6}[ \t]+(.*?)[ \t]*#*$/mg) {
        my $name = lc;
        $name =~ s/\[([^\]]*)\]\([^)]*\)/$1/g;
        $name =~ s/[^\w\- \x80-\xff]//g;
        $name =~ s/ /-/g;
        my $n = $times{$name}++;
        $there{$n ? "$name-$n" : $name} = 1;
    }
    return $anchors{$file} = \%there;
}

for my $page (@ARGV) {
    my $text = text_of($page);
    my $folder = $page =~ m{^(.*/)} ? $1 : '';
    my $code_free = $text =~ s/`[^`\n]*`/$& =~ s{.}{ }gr/ger;
    while ($code_free =~ /\]\(\s*([^)\s]+)[^)]*\)|^\[[^\]]+\]:[ \t]*(\S+)/mg) {
        my ($to, $line) = ($1 // $2, 1 + (substr($code_free, 0, $-[0]) =~ tr/\n//));
        next if $to =~ /^\w+:/;
        ++$links;
        my ($file, $anchor) = $to =~ /^([^#]*)(?:#(.*))?$/;
        my $target = $file eq '' ? $page : $folder . $file;
        1 while $target =~ s{(?:^|(?<=/))(?!\.\./)[^/]+/\.\./}{};
        $target =~ s{(^|/)\./}{$1}g;
        if (!-e $target) { print "$page:$line: there is no $target\n"; $bad = 1; next }
        next if !defined $anchor || $target !~ /\.md$/;
        next if anchors_of($target)->{$anchor};
        print "$page:$line: $target has no heading #$anchor\n";
        $bad = 1;
    }
}
die "hardly a link was found: the rules do not fit the pages any more\n" if $links < 100;
exit $bad;
