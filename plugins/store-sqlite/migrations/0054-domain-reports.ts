import { Migration } from '@mikro-orm/migrations'

/** Reports of receivers on domains, and the sources of mail that they name. */
export class DomainReports extends Migration {
  override up(): void {
    this.addSql(
      `create table "domain_reports" ("id" text not null primary key, "project_id" text not null, "domain_id" text not null, "kind" text not null, "reporter" text not null, "report_id" text not null, "domain" text not null, "begin" datetime not null, "end" datetime not null, "messages" integer not null, "passed" integer not null, "policy" text null, "failures" json null, "sender" text null, "created_at" datetime not null)`,
    )
    this.addSql(`create index "domain_reports_page" on "domain_reports" ("domain_id", "id")`)
    this.addSql(`create index "domain_reports_created" on "domain_reports" ("created_at")`)
    this.addSql(
      `create unique index "domain_reports_once" on "domain_reports" ("domain_id", "kind", "reporter", "report_id", "domain")`,
    )
    this.addSql(
      `create table "report_sources" ("domain_report_id" text not null, "number" integer not null, "project_id" text not null, "domain_id" text not null, "day" integer not null, "ip" text not null, "header_from" text not null, "dkim_domain" text not null, "dkim_selector" text not null, "dkim_result" text not null, "spf_domain" text not null, "spf_result" text not null, "reason" text not null, "messages" integer not null, "by_dkim" integer not null, "by_spf" integer not null, "passed" integer not null, "quarantined" integer not null, "rejected" integer not null, primary key ("domain_report_id", "number"))`,
    )
    this.addSql(`create index "report_sources_by_day" on "report_sources" ("domain_id", "day")`)
  }
}
