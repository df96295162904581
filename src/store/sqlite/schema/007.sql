-- What is set of handlers at run time.

ALTER TABLE errand_name_space ADD COLUMN settings INTEGER NOT NULL DEFAULT 0;

CREATE TABLE errand_settings(
    ns INTEGER NOT NULL,
    handler BLOB NOT NULL,
    record BLOB NOT NULL,
    UNIQUE(ns, handler)
);
