/**
 * The index of mails in inboxes, and the triggers that keep it. It has the words without their texts; `searched_mails` has the
 * numbers of mails in it. What is taken out is given to it once more, since it does not know the texts.
 */
export const SEARCH: readonly string[] = [
  `create table "searched_mails" ("number" integer primary key, "email_id" text not null unique)`,
  `create virtual table "mail_search" using fts5("scope", "subject", "people", "body", "files", content='', tokenize='unicode61 remove_diacritics 0')`,
  `create trigger "mail_words_added" after insert on "mail_words" begin
      insert into "searched_mails" ("email_id") values (new."email_id");
      ${added()}
    end`,
  `create trigger "mail_words_changed" after update on "mail_words" begin
      ${removed()}
      ${added()}
    end`,
  `create trigger "mail_words_removed" after delete on "mail_words" begin
      ${removed()}
      delete from "searched_mails" where "email_id" = old."email_id";
    end`,
]

function added(): string {
  return `insert into "mail_search" ("rowid", "scope", "subject", "people", "body", "files")
        select "number", new."scope", new."subject", new."people", new."body", new."files"
        from "searched_mails" where "email_id" = new."email_id";`
}

function removed(): string {
  return `insert into "mail_search" ("mail_search", "rowid", "scope", "subject", "people", "body", "files")
        select 'delete', "number", old."scope", old."subject", old."people", old."body", old."files"
        from "searched_mails" where "email_id" = old."email_id";`
}
