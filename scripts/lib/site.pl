# perl site.pl OUT VERSION: makes pages of the Markdown files, as cmark-gfm reads them: OUT/docs/guide.html of docs/guide.md,
# OUT/index.html of README.md. Links between them are kept; those to headers lead to the reference. Writes what search.js looks in.
use strict;
use warnings;
use File::Basename;
use File::Copy;
use File::Path qw(make_path);

my ($out, $version) = @ARGV;

# How pages are grouped at the side, in this order. What is in none is at the end.
my @groups = (
    ['Begin' => qw(README.md docs/guide.md docs/testing.md examples/README.md)],
    ['Tasks' => qw(docs/json.md docs/transactions.md docs/databases.md docs/schedules.md docs/limits.md docs/collect.md
            docs/settings.md docs/tenants.md)],
    ['Operate' => qw(docs/cli.md docs/import.md docs/console.md docs/inspect.md docs/troubleshooting.md docs/deployment.md docs/security.md
            docs/encryption.md docs/upgrade.md docs/scale.md docs/faults.md docs/performance.md packaging/README.md)],
    ['Watch' => qw(docs/monitoring/metrics.md docs/monitoring/runbook.md docs/tracing.md)],
    ['Other languages' => qw(docs/http.md docs/clients.md docs/flow.md docs/lmstfy.md)],
    ['Background' => qw(docs/compared.md docs/decisions.md CHANGELOG.md)],
    ['Internals' => qw(docs/internals/architecture.md docs/internals/building.md docs/internals/states.md docs/internals/storage.md
            docs/internals/sqlite.md docs/internals/shards.md docs/internals/databases.md docs/internals/limits.md docs/internals/cron.md
            docs/model/README.md)],
);
my %grouped = map { $_ => 1 } map { my ($title, @pages) = @$_; @pages } @groups;
my @all = sort(glob('docs/*.md docs/*/*.md'));
my @others = grep { !$grouped{$_} } @all;
push @groups, ['More' => @others] if @others;
my %pages = map { $_ => 1 } keys %grouped, @others;

sub text_of {
    my ($file) = @_;
    open my $in, '<', $file or die "$file: $!\n";
    local $/;
    return scalar <$in>;
}
sub write_to {
    my ($file, $text) = @_;
    make_path(dirname($file));
    open my $to, '>', $file or die "$file: $!\n";
    print $to $text;
    close $to or die "$file: $!\n";
}
sub html_name { my ($page) = @_; return $page eq 'README.md' ? 'index.html' : $page =~ s/\.md$/.html/r }
sub up_from { my ($page) = @_; return '../' x ($page =~ tr{/}{}) }
sub title_of { my ($page) = @_; return text_of($page) =~ /^#[ \t]+(.*)$/m ? $1 =~ s/`//gr : $page }
my %title = map { $_ => title_of($_) } keys %pages;
$title{'README.md'} = 'errand';

sub plain { my ($html) = @_; $html =~ s/<[^>]*>//g; return $html }
sub unescaped { my ($t) = @_; $t =~ s/&lt;/</g; $t =~ s/&gt;/>/g; $t =~ s/&quot;/"/g; $t =~ s/&amp;/&/g; return $t }

sub resolved {
    my ($page, $file) = @_;
    my $target = ($page =~ m{^(.*/)} ? $1 : '') . $file;
    1 while $target =~ s{(?:^|(?<=/))(?!\.\./)[^/]+/\.\./}{};
    $target =~ s{(^|/)\./}{$1}g;
    return $target;
}

sub address {
    my ($page, $to) = @_;
    return $to if $to =~ /^(?:\w+:|#)/;
    my ($file, $anchor) = $to =~ /^([^#]*)(#.*)?$/;
    $anchor //= '';
    my $target = resolved($page, $file);
    $target = "$target/README.md" if -d $target && -e "$target/README.md";
    return up_from($page) . html_name($target) . $anchor if $pages{$target};
    # As Doxygen names the text of a header.
    return up_from($page) . 'reference/' . ($1 =~ s/_/__/gr) . '_8hpp_source.html' if $target =~ m{^include/errand/(\w+)\.hpp$};
    die "$page: a link to $target, which is no page and no file\n" if !-f $target;
    make_path(dirname("$out/$target"));
    copy($target, "$out/$target") or die "$target: $!\n";
    return up_from($page) . $target;
}

sub side {
    my ($page) = @_;
    my $up = up_from($page);
    my $text = qq{<input id="search" type="search" placeholder="Search" data-base="$up"><ul id="found"></ul>\n};
    for (@groups) {
        my ($title, @its) = @$_;
        $text .= "<h2>$title</h2>\n<ul>\n";
        for my $one (@its) {
            my $class = $one eq $page ? ' class="here"' : '';
            $text .= qq{<li$class><a href="$up} . html_name($one) . qq{">$title{$one}</a></li>\n};
        }
        $text .= qq{<li><a href="${up}reference/index.html">Reference</a></li>\n} if $title eq 'Begin';
        $text .= "</ul>\n";
    }
    return $text . "<p><small>errand $version</small></p>";
}

my @index;
sub remember {
    my ($address, $page, $heading, $text) = @_;
    $text = lc unescaped(plain($text)) =~ s/\s+/ /gr;
    push @index, '[' . join(', ', map { '"' . (s/(["\\])/\\$1/gr =~ s/[\x00-\x1f]/ /gr) . '"' } $address, $page, $heading, $text) . ']';
}

for my $page (sort keys %pages) {
    open my $cmark, '-|', 'cmark-gfm', '--unsafe', '-e', 'table', '-e', 'strikethrough', $page or die "cmark-gfm: $!\n";
    my $html = do { local $/; <$cmark> };
    close $cmark or die "cmark-gfm cannot read $page\n";
    my %times;
    $html =~ s{<h([1-6])>(.*?)</h\1>}{
        my ($level, $text) = ($1, $2);
        my $name = lc unescaped(plain($text));
        $name =~ s/[^\w\- \x80-\xff]//g;
        $name =~ s/ /-/g;
        my $n = $times{$name}++;
        $name .= "-$n" if $n;
        qq{<h$level id="$name">$text</h$level>};
    }gse;
    $html =~ s{(<(?:a|img)\b[^>]*?\b(?:href|src)=")([^"]*)}{$1 . address($page, $2)}ge;
    my $name = html_name($page);
    my @parts = split /(?=<h[1-3] id=")/, $html;
    for (@parts) {
        my ($id, $heading) = m{^<h[1-3] id="([^"]*)">(.*?)</h} ? ($1, unescaped(plain($2))) : ('', $title{$page});
        remember($name . ($id ? "#$id" : ''), $title{$page}, $heading, $_);
    }
    my $up = up_from($page);
    write_to("$out/$name", <<"END" . $html . <<"END2");
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title{$page}</title>
<link rel="stylesheet" href="${up}site.css">
</head>
<body class="page">
<nav>
@{[side($page)]}
</nav>
<main>
END
</main>
<script src="${up}search_index.js"></script>
<script src="${up}search.js"></script>
</body>
</html>
END2
}
write_to("$out/search_index.js", "const search_index = [\n" . join(",\n", @index) . "\n];\n");
copy("docs/site/$_", "$out/$_") or die "$_: $!\n" for qw(site.css search.js);
print scalar(keys %pages), " pages\n";
