-- submit_instead: puts a new task into its queue and ends another one, in one step.
-- Keys:    as submit; and six for the queue of the other
-- Args:    as submit, of one item and not 'ask'; behind it the other's id, its life (8 bytes), the outcome with which it ends
-- Returns: as submit. What is refused ends nothing; an other that has ended is deleted as far as one call forgets its edges, and one
--          that is not there, or has another life, is left
-- Cost:    as submit; O(log waiting), and O(edges) of the other
-- Needs:   lib_base
-- Within:  submission submit_instead_all
-- As submit.lua does it.
return submission()
