-- What such functions need themselves, which are found at once by those that are made within another one.
-- Needs: lib_wake lib_paused lib_gates lib_many lib_names
-- Within: gates_taken work_gates_taken
return gates_taken()
