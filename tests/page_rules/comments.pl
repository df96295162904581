# perl comments.pl HEADER...: names each public name of the headers that has no doc comment: before it (///) or behind it (///<).
#
# Public is what stands in namespace errand and not in detail, in the public part of a class, in an enumeration, and macros
# ERRAND_…. Overloads that follow each other may share the comment of the first. Not asked of: friends, what is defaulted or
# deleted, destructors, declarations of what is defined elsewhere.
use strict;
use warnings;

my ($bad, $seen) = (0, 0);
my ($file, $code, $at);

sub complain {
    my ($from, $what) = @_;
    my $line = 1 + (substr($code, 0, $from) =~ tr/\n//);
    $what =~ s/[\x01\x02]//g;
    $what =~ s/\s+/ /g;
    $what =~ s/^ | $//g;
    print "$file:$line: no doc comment: ", substr($what, 0, 100), "\n";
    $bad = 1;
}

# Comments become marks, \x01 before a name and \x02 behind it; other comments, texts and lines of the preprocessor go. Line ends
# stay where they are.
sub marked {
    my ($text) = @_;
    $text =~ s{//+/<[^\n]*}{\x02}g;
    $text =~ s{///[^\n]*}{\x01}g;
    $text =~ s{//[^\n]*}{}g;
    $text =~ s{"(?:[^"\\\n]|\\.)*"}{""}g;
    $text =~ s{'(?:[^'\\\n]|\\.)'}{' '}g;
    return $text;
}

sub skip_block {    # $at stands behind an opening brace
    my $deep = 1;
    while ($deep && $at < length $code) {
        my $c = substr($code, $at++, 1);
        ++$deep if $c eq '{';
        --$deep if $c eq '}';
    }
}

sub next_char { return substr($code, $at) =~ /\A[\s\x02]*(.)/s ? $1 : '' }

# A statement's own name, by which overloads are known.
sub name_of {
    my ($s) = @_;
    $s =~ s/<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>//g;
    return $1 if $s =~ /(operator\s*[^\s(]+|~?\w+)\s*\(/;
    return $s =~ /(\w+)\s*(?:=.*|\{.*)?$/s ? $1 : $s;
}

my ($last_name, $last_documented) = ('', 0);

sub judge {
    my ($s, $from, $documented) = @_;
    my $plain = $s =~ s/[\x01\x02]//gr;
    $plain =~ s/^\s+|\s+$//g;
    $plain =~ s/^\[\[\w+(?:\(.*?\))?\]\]\s*//;
    return if $plain eq '' || $plain =~ /^using [\w:]+::(\w+)::\1$|^using (\w+)::\2$/;    # inherited constructors
    return if $plain =~ /^(?:friend|using namespace|static_assert|namespace|extern template)\b/;
    return if $plain =~ /=\s*(?:default|delete)$/ || $plain =~ /^(?:virtual\s+)?~/;
    # Declared here, defined and told of elsewhere; or defined here, and told of where it is declared.
    return if $plain =~ /^(?:template\s*<.*?>\s*)?(?:class|struct|enum class)\s+\w+$/s;
    return if $plain =~ /^[^(]*\w(?:<[^(]*>)?::~?\w+(?:<[^(]*>)?\s*\(/s && $plain =~ /\)\s*(?:const|noexcept|\s)*(?::.*)?\{?$/s && $plain =~ /^template|^inline|^\w+(?:<.*>)?::/ && name_is_qualified($plain);
    return if $plain =~ /^[\w<>,: ]+\([^)]*\)\s*->/;    # a deduction guide
    ++$seen;
    my $name = name_of($plain);
    $documented ||= $last_documented && $name eq $last_name;
    ($last_name, $last_documented) = ($name, $documented);
    complain($from, $plain) if !$documented;
}

sub name_is_qualified {
    my ($s) = @_;
    $s =~ s/<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>//g;
    return $s =~ /^[^(]*\b\w+::~?\w+\s*\(/;
}

sub enumerators {
    my $doc = 0;
    my $end = $at;
    my $begin = $at;
    skip_block();
    my $body = substr($code, $begin, $at - 1 - $begin);
    my $offset = $begin;
    # A mark behind the comma is of the one before it.
    while ($body =~ /\G([^,]*)(,?)([ \t]*\x02)?/g) {
        my ($one, $comma, $mark, $where) = ($1, $2, $3, $-[1]);
        last if $one eq '' && !$comma;
        my $plain = $one =~ s/[\x01\x02\s]//gr;
        next if $plain eq '';
        ++$seen;
        my ($space) = $one =~ /^(\s*)/;
        complain($offset + $where + length $space, $plain) if !$mark && $one !~ /[\x01\x02]/;
    }
}

# scope: errand, other, public, private
sub scope {
    my ($kind) = @_;
    my ($documented, $s, $from) = (0, '', $at);
    my $checked = sub { $kind eq 'errand' || $kind eq 'public' };
    ($last_name, $last_documented) = ('', 0);
    while ($at < length $code) {
        my $c = substr($code, $at, 1);
        if ($s !~ /\S/) {
            if ($c eq "\x01") { $documented = 1; ++$at; next }
            if ($c =~ /[\s\x02;]/) { ++$at; next }
            if (substr($code, $at) =~ /\A(public|private|protected)\s*:(?!:)/) {
                $kind = $1 eq 'public' ? 'public' : 'private' if $kind ne 'hidden';
                $at += $+[0];
                next;
            }
            $from = $at;
        }
        ++$at;
        if ($c eq '}') { return }
        if ($c eq '(') {    # as a whole: braces and semicolons in it end nothing
            my ($deep, $begin) = (1, $at);
            while ($deep && $at < length $code) {
                my $inner = substr($code, $at++, 1);
                ++$deep if $inner eq '(';
                --$deep if $inner eq ')';
            }
            $s .= '(' . substr($code, $begin, $at - $begin);
            next;
        }
        if ($c eq ';') {
            my $behind = substr($code, $at) =~ /\A[ \t]*\x02/;
            judge($s, $from, $documented || $behind || $s =~ /[\x01\x02]/) if $checked->();
            ($s, $documented) = ('', 0);
            next;
        }
        if ($c ne '{') { $s .= $c; next }

        my $head = $s =~ s/[\x01\x02]//gr;
        if ($head =~ /^\s*(?:inline\s+)?namespace\b\s*([\w:]*)/) {
            my $name = $1;
            my $inner = $name =~ /^errand(?:::(?!detail)\w+)*$/ ? 'errand' : $kind eq 'errand' && $name !~ /^(?:detail|)$/ ? 'errand' : 'hidden';
            $inner = 'hidden' if $name =~ /detail/ || $name eq '';
            scope($inner);
            ($s, $documented) = ('', 0);
            ($last_name, $last_documented) = ('', 0);
        } elsif ($head =~ /^\s*(?:template\s*<.*>\s*)?(?:requires.*)?enum\b/s) {
            judge($s =~ s/:.*//sr . ' {', $from, $documented) if $checked->();
            if ($checked->()) { enumerators() } else { skip_block() }
            ($s, $documented) = ('', 0);
        } elsif ($head =~ /^\s*(?:template\s*<.*>\s*)?(?:requires[^;{]*)?(class|struct|union)\b[^()=]*$/s) {
            my $inner = $1 eq 'class' ? 'private' : 'public';
            my $is_specialised = $head =~ /(?:class|struct)\s+[\w:]+\s*</;
            judge($s, $from, $documented) if $checked->() && !$is_specialised;
            scope(!$checked->() || $is_specialised ? 'hidden' : $inner);
            ($s, $documented) = ('', 0);
            ($last_name, $last_documented) = ('', 0);
        } else {
            skip_block();
            if ($head =~ /\brequires\s*$/) { $s .= ' '; next }
            if (next_char() =~ /[;,{)]/ || $head =~ /^[^()]*=[^()]*$/) { $s .= '{}'; next }
            my $behind = substr($code, $at) =~ /\A[ \t]*\x02/;
            judge($s, $from, $documented || $behind || $s =~ /[\x01\x02]/) if $checked->();
            ($s, $documented) = ('', 0);
        }
    }
}

for (@ARGV) {
    $file = $_;
    open my $in, '<', $file or die "$file: $!\n";
    my $text = do { local $/; <$in> };
    my @lines = split /\n/, $text, -1;
    for my $n (0 .. $#lines) {
        next if $lines[$n] !~ /^#\s*define\s+(ERRAND_(?!DETAIL)\w+)/;
        ++$seen;
        next if $n > 0 && $lines[$n - 1] =~ m{^\s*///};
        print "$file:", $n + 1, ": no doc comment: $1\n";
        $bad = 1;
    }
    # With the lines that they go on in.
    $text =~ s{^[ \t]*#(?:[^\n]*\\\n)*[^\n]*}{$& =~ s/[^\n]//gr}gme;
    ($code, $at) = (marked($text), 0);
    scope('other');
}
die "hardly a public name was found: the rules do not fit the headers any more\n" if $seen < 500;
exit $bad;
