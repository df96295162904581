# perl messages.pl PAGE INTERNAL SOURCE...: names each message of the sources whose fixed words PAGE does not have. With --list
# as PAGE: prints all messages, variable parts as "…".
#
# A message is what stands between the brackets of an error that is made, or of a call that refuses; in some files every
# text is one, and so is what the compiler is told to say. Fixed words are two or more in one text.
use strict;
use warnings;

my ($page_file, $internal_file, @sources) = @ARGV;

my $made = qr/usage_error|store_error|database_error|serialization_failure|bad_data|duplicate_task|settings_conflict|
    quota_exceeded|dependency_cycle|bulk_error|result_gone|task_failed|timed_out|lease_lost|key_missing|runtime_error|logic_error|
    static_assert|(?:refuse|fail|broken|throw)(?:_\w+)?|unknown_task|bad_request|not_found|refusal/x;
my $all_words = qr{/refusal\.cpp$|/worker/announce\.cpp$|/store/redis/server_check\.cpp$|/core/sqlite_url\.cpp$};

sub text_of {
    my ($file) = @_;
    open my $in, '<', $file or die "$file: $!\n";
    local $/;
    return scalar <$in>;
}

# Without what Markdown and line ends add.
sub plain {
    my ($text) = @_;
    $text =~ s/`//g;
    $text =~ s/\s+/ /g;
    $text =~ s/^ | $//g;
    return $text;
}

# The code with each text as \x01number\x02, without comments and lines of the preprocessor.
sub code_and_texts {
    my ($source) = @_;
    my ($code, @texts) = ('');
    while ($source =~ m{\G(?:(//[^\n]*|/\*.*?\*/)|R"(\w*)\((.*?)\)\2"|"((?:[^"\\\n]|\\.)*)"|((?<!\w)'(?:[^'\\\n]|\\.)')|(.))}gs) {
        if (defined $1) { next }
        my $text = defined $3 ? $3 : $4;
        if (defined $text) {
            push @texts, $text;
            $code .= "\x01$#texts\x02";
        } elsif (defined $6) {
            $code .= $6;
        }
    }
    $code =~ s/^[ \t]*#[ \t]*include[^\n]*//mg;
    return ($code, @texts);
}

# From an opening bracket's end to before the one that closes it.
sub inside {
    my ($code, $from) = @_;
    my ($at, $deep) = ($from, 1);
    while ($deep && $at < length $code) {
        my $c = substr($code, $at++, 1);
        ++$deep if $c =~ /[({]/;
        --$deep if $c =~ /[)}]/;
    }
    return substr($code, $from, $at - 1 - $from);
}

# Its texts, joined where the compiler joins them, with "…" between.
sub message_of {
    my ($code, @texts) = @_;
    $code =~ s/\x02\s*\x01/\x02\x01/g;
    my $message = '';
    while ($code =~ /\x01(\d+)\x02|([^\x01]+)/g) {
        if (defined $1) {
            $message .= $texts[$1];
        } elsif ($2 =~ /\S/ && $message !~ /…$/) {
            $message .= '…';
        }
    }
    $message =~ s/\\n/ /g;
    $message =~ s/\\(.)/$1/g;
    $message =~ s/\{\}/…/g;
    return $message;
}

sub fixed_words {
    my ($message) = @_;
    return grep { /[A-Za-z]{2}.* .*[A-Za-z]{2}/ } map { s/^[\s:;,.)"]+//r } map { plain($_) } split /…/, $message;
}

my %messages;    # message => files
for my $file (@sources) {
    my ($code, @texts) = code_and_texts(text_of($file));
    if ("/$file" =~ $all_words) {
        while ($code =~ /((?:\x01\d+\x02\s*)+)/g) {
            my $message = message_of($1, @texts);
            $messages{$message}{$file} = 1 if fixed_words($message);
        }
        next;
    }
    while ($code =~ /(?<!\w)(?:$made)\s*[({]/g) {
        my $message = message_of(inside($code, pos $code), @texts);
        $messages{$message}{$file} = 1 if fixed_words($message);
    }
}

my %words;    # fixed words => files
for my $message (sort keys %messages) {
    my $in = join ', ', sort keys %{$messages{$message}};
    if ($page_file eq '--list') { print "$in\t", plain($message), "\n" }
    $words{$_} = $in for fixed_words($message);
}
exit 0 if $page_file eq '--list';
die "no messages were found: the rules do not fit the sources any more\n" if keys %words < 100;

my $bad = 0;
my %internal;
for (split /\n/, text_of($internal_file)) {
    next if /^#|^\s*$/;
    my ($text, $reason) = split / -- /;
    if (!$reason) { print "internal: no reason is given for: $_\n"; $bad = 1; next }
    $internal{plain($text)} = 1;
    if (!$words{plain($text)}) { print "internal: no message has these words any more: $text\n"; $bad = 1 }
}

my $page = plain(text_of($page_file));
for my $text (sort { $words{$a} cmp $words{$b} || $a cmp $b } keys %words) {
    next if $internal{$text} || index($page, $text) >= 0;
    print "$page_file does not have the words of $words{$text}: $text\n";
    $bad = 1;
}
exit $bad;
