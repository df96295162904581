# Usage: perl abi_layouts.pl HEADER... <LAYOUTS
# What a program's code knows of errand's types: sizes and offsets in bits, as clang's -fdump-record-layouts-simple tells them, and the
# order of enumerators and virtual functions, as they stand in the headers. One line each.
use strict;
use warnings;

my (@lines, $type, %of);
while (<STDIN>) {
    $type = $1, %of = () if /^Type: (?:class|struct|union) (\S.*)/;
    $of{$1} = $2 if /^\s*(Size|Alignment|BaseOffsets|VBaseOffsets|FieldOffsets):\s*(.*?)>?\s*$/;
    # Those of templates are made of the types that a program gives.
    next unless /FieldOffsets/ && $type && $type =~ /^errand::[\w:]+$/;
    push @lines, "$type: size $of{Size}, aligned $of{Alignment}, bases $of{BaseOffsets}, members $of{FieldOffsets}";
    $type = undef;
}
die "no layouts of errand's types came in\n" unless @lines;

for my $header (@ARGV) {
    open my $file, '<', $header or die "$header: $!\n";
    my $text = do { local $/; <$file> };
    $text =~ s{//[^\n]*}{}g;
    $text =~ s/\s+/ /g;
    (my $shown = $header) =~ s{^include/}{};
    push @lines, "$shown: $1" while $text =~ /\b(enum (?:class )?\w+ ?(?:: ?[\w:]+ ?)?\{[^}]*\})/g;
    # In one line, as their order is what counts.
    my @virtual = $text =~ /\b(virtual [^;{}]*?)(?: = 0| = default| noexcept)* ?[;{]/g;
    push @lines, "$shown: " . join('; ', @virtual) if @virtual;
}
print "$_\n" for sort @lines;
