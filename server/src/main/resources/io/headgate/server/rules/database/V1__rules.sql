-- One row: which book of rules this is, and how far it has come. Whoever changes the rules holds its lock, and writes a
-- new tag: after a restore from a backup the same numbers come again, with other rules, but never the same tags.
CREATE TABLE headgate_head (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  book VARCHAR(36) NOT NULL,
  revision BIGINT NOT NULL,
  tag VARCHAR(36) NOT NULL
);

CREATE TABLE headgate_revisions (
  revision BIGINT PRIMARY KEY,
  made_at TIMESTAMP(6) WITH TIME ZONE NOT NULL,
  author VARCHAR(100) NOT NULL,
  message VARCHAR(500) NOT NULL,
  seed BOOLEAN NOT NULL, -- a file's own or the beginning's, whatever the author is called
  restored BIGINT,
  added INTEGER NOT NULL,
  changed INTEGER NOT NULL,
  removed INTEGER NOT NULL,
  rules INTEGER NOT NULL
);

-- One row for each version of each rule, in force from one revision until another. Rules stand in the order of
-- their places, which have gaps, so that a rule between two others moves neither.
CREATE TABLE headgate_rules (
  id VARCHAR(128) NOT NULL,
  since_revision BIGINT NOT NULL REFERENCES headgate_revisions (revision),
  until_revision BIGINT,
  place BIGINT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (id, since_revision)
);

CREATE TABLE headgate_audit (
  entry BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  happened_at TIMESTAMP(6) WITH TIME ZONE NOT NULL,
  author VARCHAR(100) NOT NULL,
  action VARCHAR(200) NOT NULL,
  outcome VARCHAR(20) NOT NULL,
  revision BIGINT,
  detail VARCHAR(1000) NOT NULL
);
