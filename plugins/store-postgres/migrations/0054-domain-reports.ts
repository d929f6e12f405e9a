import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Reports of receivers on domains, and the sources of mail that they name. */
export class DomainReports extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(
      `create table "domain_reports" ("id" uuid not null, "project_id" uuid not null, "domain_id" uuid not null, "kind" text collate "C" not null, "reporter" text collate "C" not null, "report_id" text collate "C" not null, "domain" text collate "C" not null, "begin" timestamptz(3) not null, "end" timestamptz(3) not null, "messages" int not null, "passed" int not null, "policy" text collate "C" null, "failures" jsonb null, "sender" text collate "C" null, "created_at" timestamptz(3) not null, primary key ("id"))`,
    )
    this.addSql(`create index "domain_reports_page" on "domain_reports" ("domain_id", "id")`)
    this.addSql(`create index "domain_reports_created" on "domain_reports" ("created_at")`)
    this.addSql(
      `alter table "domain_reports" add constraint "domain_reports_once" unique ("domain_id", "kind", "reporter", "report_id", "domain")`,
    )
    this.addSql(
      `create table "report_sources" ("domain_report_id" uuid not null, "number" int not null, "project_id" uuid not null, "domain_id" uuid not null, "day" int not null, "ip" text collate "C" not null, "header_from" text collate "C" not null, "dkim_domain" text collate "C" not null, "dkim_selector" text collate "C" not null, "dkim_result" text collate "C" not null, "spf_domain" text collate "C" not null, "spf_result" text collate "C" not null, "reason" text collate "C" not null, "messages" int not null, "by_dkim" int not null, "by_spf" int not null, "passed" int not null, "quarantined" int not null, "rejected" int not null, primary key ("domain_report_id", "number"))`,
    )
    this.addSql(`create index "report_sources_by_day" on "report_sources" ("domain_id", "day")`)
  }
}
