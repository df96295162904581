#!/usr/bin/env perl
# blocks.pl PAGE FRAMES DIR: makes a source in DIR of each block of C++ in the page, in the frame that FRAMES has for it. Blocks below
# `<!-- from FILE -->` stand in programs and are left out.
#
# A frame begins with `== ` and the first line of its block, and has a line `@` where the block comes. Its #include lines come first.
use strict;
use warnings;

my ($page, $frames, $dir) = @ARGV;

sub lines_of {
    my ($path) = @_;
    open my $file, '<', $path or die "$path: $!\n";
    chomp(my @lines = <$file>);
    return @lines;
}

my (%frame, $first);
for (-e $frames ? lines_of($frames) : ()) {
    if (/^== (.*)/) { $first = $1; die "$frames: two frames begin with: $first\n" if $frame{$first}; $frame{$first} = []; }
    elsif (defined $first) { push @{$frame{$first}}, $_; }
}

my ($count, $number, $quoted, $block, $at) = (0, 0, 0, undef, 0);  # $quoted: the next block stands in a program
for my $line (lines_of($page)) {
    ++$number;
    if (!$block) {
        if ($line eq '```cpp' && !$quoted) { $block = []; $at = $number + 1; }
        ++$count if $line eq '```cpp' && $quoted;
        $quoted = 1 if $line =~ /^<!-- from /;
        $quoted = 0 if $line eq '```';
        next;
    }
    if ($line ne '```') { push @$block, $line; next; }
    my $around = delete $frame{$block->[0]} or die "$page:$at: there is no frame in $frames for: $block->[0]\n";
    grep { $_ eq '@' } @$around or die "$frames: no line \@ in the frame of: $block->[0]\n";
    my @headers = grep { /^#include/ } @$around, @$block;
    my @code = map { /^#include/ ? '' : $_ } @$block;
    open my $source, '>', "$dir/$at.cpp" or die "$dir/$at.cpp: $!\n";
    print $source "$_\n" for @headers;
    for (grep { !/^#include/ } @$around) {
        print $source $_ eq '@' ? join("\n", "#line $at \"$page\"", @code) . "\n" : "$_\n";
    }
    close $source or die "$dir/$at.cpp: $!\n";
    ++$count;
    $block = undef;
}
die "$frames: the page has no block that begins with: $_\n" for sort keys %frame;
die "$page: no block of C++ was found\n" if !$count;
