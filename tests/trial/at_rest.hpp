// The end of a trial's limits: none stays set, and nothing holds a place any more when all has ended.
#pragma once

namespace trial {

class site;

// When no producer sets them any more.
void reset_limits(site& at);
// Waits until nothing runs under any limit: what was cancelled may have been with a worker that was killed.
void let_limits_come_to_rest(site& at);

}  // namespace trial
