-- Requests that are counted by a name, as those of a token with a rate.
CREATE TABLE errand_request(
    ns INTEGER NOT NULL,
    name BLOB NOT NULL,
    till INTEGER NOT NULL,              -- the last us of a time
    times INTEGER NOT NULL,             -- how many it had
    kept_until INTEGER NOT NULL,        -- us
    PRIMARY KEY(ns, name, till)
) WITHOUT ROWID;
CREATE INDEX errand_request_kept ON errand_request(ns, kept_until);
