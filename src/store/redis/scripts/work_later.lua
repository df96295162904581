-- When this worker should look again though nobody wakes it.
-- Needs: lib_due
return next_look
