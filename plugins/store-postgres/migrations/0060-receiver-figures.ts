import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Figures of receivers on domains, out of uploaded files. */
export class ReceiverFigures extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(
      `create table "receiver_figures" ("id" uuid not null, "project_id" uuid not null, "domain_id" uuid not null, "receiver" text collate "C" not null, "figure" text collate "C" not null, "day" text collate "C" not null, "subject" text collate "C" not null, "value" jsonb null, "word" text collate "C" null, "created_at" timestamptz(3) not null, primary key ("id"))`,
    )
    this.addSql(`create index "receiver_figures_day" on "receiver_figures" ("domain_id", "day")`)
    this.addSql(`create index "receiver_figures_age" on "receiver_figures" ("day")`)
    this.addSql(
      `alter table "receiver_figures" add constraint "receiver_figures_once" unique ("domain_id", "receiver", "figure", "day", "subject")`,
    )
  }
}
