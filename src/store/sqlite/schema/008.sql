-- Open bundles: the items of a key that are run together. A bundle is open until it is full or its carrier is claimed: as long
-- as that is delayed or ready, and has never run. Its items stand in `errand_waiting` with the rule b, and their place where others have their due time.
CREATE TABLE errand_bundle(
    ns INTEGER NOT NULL,
    key BLOB NOT NULL,                  -- 16 bytes of a hash of handler, queue and key
    carrier BLOB NOT NULL,
    begun INTEGER NOT NULL,             -- ms
    joined INTEGER NOT NULL,            -- items so far
    bytes INTEGER NOT NULL,             -- of their arguments
    PRIMARY KEY(ns, key)
) WITHOUT ROWID;
CREATE INDEX errand_bundle_carrier ON errand_bundle(ns, carrier);
