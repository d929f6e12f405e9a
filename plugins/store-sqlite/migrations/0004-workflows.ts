import { Migration } from '@mikro-orm/migrations'
import { OUTBOX_TRIGGERS } from './outbox-triggers.ts'

/** Workflows with their executions, webhooks with their deliveries, and the outbox. */
export class Workflows extends Migration {
  override up(): void {
    this.addSql(
      `create table "workflows" ("id" text not null primary key, "project_id" text not null, "name" text not null, "description" text null, "enabled" integer not null, "trigger_type" text not null, "event_name" text null, "allow_reentry" integer not null, "created_at" datetime not null, "updated_at" datetime not null)`,
    )
    this.addSql(`create index "workflows_page" on "workflows" ("project_id", "id")`)
    this.addSql(
      `create index "workflows_by_event" on "workflows" ("project_id", "event_name") where event_name is not null`,
    )
    this.addSql(
      `create table "workflow_steps" ("id" text not null primary key, "project_id" text not null, "workflow_id" text not null, "type" text not null, "name" text not null, "position" json not null, "config" json not null, "template_id" text null, "created_at" datetime not null)`,
    )
    this.addSql(`create index "workflow_steps_of" on "workflow_steps" ("project_id", "workflow_id")`)
    this.addSql(
      `create table "workflow_transitions" ("id" text not null primary key, "project_id" text not null, "workflow_id" text not null, "from_step_id" text not null, "to_step_id" text not null, "branch" text null, "priority" integer not null)`,
    )
    this.addSql(`create index "workflow_transitions_of" on "workflow_transitions" ("project_id", "workflow_id")`)
    this.addSql(
      `create table "workflow_executions" ("id" text not null primary key, "project_id" text not null, "workflow_id" text not null, "contact_id" text not null, "status" text not null, "current_step_id" text null, "exit_reason" text null, "error" text null, "context" json not null, "event_id" text null, "event" json not null, "once" integer not null, "due_at" datetime null, "waiting_for" text null, "attempts" integer not null, "started_at" datetime not null, "completed_at" datetime null, "updated_at" datetime not null, "lease_token" text null, "lease_until" datetime null)`,
    )
    this.addSql(`create index "workflow_executions_page" on "workflow_executions" ("project_id", "workflow_id", "id")`)
    this.addSql(
      `create index "workflow_executions_by_status" on "workflow_executions" ("project_id", "workflow_id", "status", "id")`,
    )
    this.addSql(
      `create index "workflow_executions_due" on "workflow_executions" ("due_at", "id") where due_at is not null`,
    )
    this.addSql(`create index "workflow_executions_of_contact" on "workflow_executions" ("contact_id", "waiting_for")`)
    this.addSql(
      `create unique index "workflow_executions_event" on "workflow_executions" ("event_id", "workflow_id") where event_id is not null`,
    )
    this.addSql(
      `create unique index "workflow_executions_once" on "workflow_executions" ("workflow_id", "contact_id") where once`,
    )
    this.addSql(
      `create unique index "workflow_executions_now" on "workflow_executions" ("workflow_id", "contact_id") where status in ('RUNNING', 'WAITING')`,
    )
    this.addSql(
      `create table "workflow_step_runs" ("id" text not null primary key, "project_id" text not null, "workflow_id" text not null, "execution_id" text not null, "step_id" text not null, "status" text not null, "output" json null, "error" text null, "started_at" datetime not null, "completed_at" datetime null)`,
    )
    this.addSql(`create index "workflow_step_runs_of" on "workflow_step_runs" ("execution_id", "id")`)
    this.addSql(
      `create index "workflow_step_runs_counts" on "workflow_step_runs" ("project_id", "workflow_id", "step_id", "status")`,
    )
    this.addSql(
      `create table "webhook_secrets" ("project_id" text not null primary key, "secret" text not null, "earlier" text null, "earlier_until" datetime null)`,
    )
    this.addSql(
      `create table "webhook_endpoints" ("id" text not null primary key, "project_id" text not null, "url" text not null, "description" text null, "events" json not null, "enabled" integer not null, "failing_since" datetime null, "paused_reason" text null, "created_at" datetime not null, "updated_at" datetime not null)`,
    )
    this.addSql(`create index "webhook_endpoints_page" on "webhook_endpoints" ("project_id", "id")`)
    this.addSql(
      `create table "webhook_deliveries" ("id" text not null primary key, "project_id" text not null, "endpoint_id" text null, "workflow_id" text null, "execution_id" text null, "step_id" text null, "event_id" text null, "event_name" text null, "replay_of" text null, "url" text not null, "method" text not null, "headers" json not null, "body" text null, "timeout" integer not null, "status" text not null, "attempts" integer not null, "due_at" datetime not null, "response_status" integer null, "response_body" text null, "error" text null, "created_at" datetime not null, "completed_at" datetime null, "updated_at" datetime not null, "lease_token" text null, "lease_until" datetime null)`,
    )
    this.addSql(`create index "webhook_deliveries_page" on "webhook_deliveries" ("project_id", "id")`)
    this.addSql(`create index "webhook_deliveries_by_status" on "webhook_deliveries" ("project_id", "status", "id")`)
    this.addSql(
      `create index "webhook_deliveries_by_endpoint" on "webhook_deliveries" ("project_id", "endpoint_id", "id") where endpoint_id is not null`,
    )
    this.addSql(
      `create index "webhook_deliveries_by_workflow" on "webhook_deliveries" ("project_id", "workflow_id", "id") where workflow_id is not null`,
    )
    this.addSql(
      `create index "webhook_deliveries_due" on "webhook_deliveries" ("due_at", "id") where status = 'PENDING'`,
    )
    this.addSql(
      `create index "webhook_deliveries_ended" on "webhook_deliveries" ("completed_at") where completed_at is not null`,
    )
    this.addSql(
      `create unique index "webhook_deliveries_event" on "webhook_deliveries" ("endpoint_id", "event_id") where endpoint_id is not null and event_id is not null and replay_of is null`,
    )
    this.addSql(
      `create table "untold_events" ("id" text not null primary key, "project_id" text not null, "name" text not null, "contact_id" text not null, "created_at" datetime not null) without rowid`,
    )
    for (const sql of OUTBOX_TRIGGERS) this.addSql(sql)
  }
}
