// The end of a trial's schedules: all of them are to go on as long as workers live. Then they are cancelled, for a load
// that makes itself anew never ends.
#pragma once

namespace trial {

class site;

// When nobody declares them any more. How they stood is told to the chronicle.
void end_schedules(site& at);

}  // namespace trial
