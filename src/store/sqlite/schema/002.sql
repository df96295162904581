-- Small bodies stand with their tasks: one tree less to write for each of them. Those that are there stay where they are.
ALTER TABLE task ADD COLUMN small BLOB;
