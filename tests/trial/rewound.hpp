// A claim number that is given twice: the store's clock is set back, so that numbers are counted on from the last one; a worker
// claims, and is stopped; its claim is lost with the primary. The next claim has the same number and the same tasks, and the
// first worker comes back with its reports while the second one is at it.
#pragma once

namespace trial {

class site;

// On a site of two workers and no producer, whose replica confirms nothing.
void give_a_number_twice(site& at);

}  // namespace trial
