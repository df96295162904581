# Usage: perl abi_names.pl NAMES <EXPORTED
# Of symbols, each with its demangled name after a tab, those of what NAMES lists: a function or an object of that name, or the
# table of virtual functions and the description of a type.
use strict;
use warnings;

open my $names, '<', $ARGV[0] or die "$ARGV[0]: $!\n";
my %declared = map { chomp; $_ => 1 } <$names>;
my @public;
while (<STDIN>) {
    chomp;
    my ($symbol, $name) = split /\t/;
    $name =~ s/^(?:vtable|VTT|typeinfo|typeinfo name) for //;
    $name =~ s/^(?:non-virtual|virtual|covariant return) thunk to //;
    $name =~ s/\[abi:[^\]]*\]//g;
    # Without its parameters; a type's operator() keeps its own parentheses.
    $name =~ s/(?<!operator)\(.*//;
    push @public, $symbol if $declared{$name};
}
print "$_\n" for sort @public;
