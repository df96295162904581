// Tasks that become ready while nobody submits anything.
#pragma once

namespace trial {

class site;

// The producers are silent, all that there was has ended, and one task after the other becomes ready, each in another way: no other
// one has a worker look that missed it. Until all have ended, or a start would be late.
void be_silent(site& at);

}  // namespace trial
