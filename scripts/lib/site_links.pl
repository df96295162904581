# perl site_links.pl SITE: names each link in the pages of a site that leads to no file or to no place in it.
use strict;
use warnings;
use File::Find;

my ($site) = @ARGV;
my (%ids, @pages, $links, $bad);
find({no_chdir => 1, wanted => sub { push @pages, $_ if /\.html$/ && -f }}, $site);

sub text_of { my ($f) = @_; open my $in, '<', $f or die "$f: $!\n"; local $/; return scalar <$in> }
sub ids_of {
    my ($f) = @_;
    return $ids{$f} //= {map { $_ => 1 } text_of($f) =~ /\b(?:id|name)="([^"]+)"/g};
}
for my $page (sort @pages) {
    my $text = text_of($page);
    $text =~ s{<script\b.*?</script>}{}gs;
    my ($folder) = $page =~ m{^(.*)/};
    while ($text =~ /\b(?:href|src)="([^"]*)"/g) {
        my $to = $1;
        next if $to =~ /^(?:\w+:|$)/;
        ++$links;
        my ($file, $anchor) = $to =~ /^([^#?]*)[^#]*(?:#(.*))?$/;
        my $target = $file eq '' ? $page : "$folder/$file";
        if (!-e $target) { print "$page: there is no $file\n"; $bad = 1; next }
        next if !defined $anchor || $anchor eq '' || $target !~ /\.html$/;
        next if ids_of($target)->{$anchor};
        print "$page: $file has no place #$anchor\n";
        $bad = 1;
    }
}
die "hardly a link was found\n" if ($links // 0) < 500;
printf "%d pages, %d links\n", scalar @pages, $links;
exit($bad // 0);
