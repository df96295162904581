return next_look
