import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'
import { OUTBOX_TRIGGERS } from './outbox-triggers.ts'

/** Workflows with their executions, webhooks with their deliveries, and the outbox. */
export class Workflows extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(
      `create table "workflows" ("id" uuid not null, "project_id" uuid not null, "name" text collate "C" not null, "description" text collate "C" null, "enabled" boolean not null, "trigger_type" text collate "C" not null, "event_name" text collate "C" null, "allow_reentry" boolean not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"))`,
    )
    this.addSql(`create index "workflows_page" on "workflows" ("project_id", "id")`)
    this.addSql(
      `create index "workflows_by_event" on "workflows" ("project_id", "event_name") where event_name is not null`,
    )
    this.addSql(
      `create table "workflow_steps" ("id" uuid not null, "project_id" uuid not null, "workflow_id" uuid not null, "type" text collate "C" not null, "name" text collate "C" not null, "position" jsonb not null, "config" jsonb not null, "template_id" uuid null, "created_at" timestamptz(3) not null, primary key ("id"))`,
    )
    this.addSql(`create index "workflow_steps_of" on "workflow_steps" ("project_id", "workflow_id")`)
    this.addSql(
      `create table "workflow_transitions" ("id" uuid not null, "project_id" uuid not null, "workflow_id" uuid not null, "from_step_id" uuid not null, "to_step_id" uuid not null, "branch" text collate "C" null, "priority" integer not null, primary key ("id"))`,
    )
    this.addSql(`create index "workflow_transitions_of" on "workflow_transitions" ("project_id", "workflow_id")`)
    this.addSql(
      `create table "workflow_executions" ("id" uuid not null, "project_id" uuid not null, "workflow_id" uuid not null, "contact_id" uuid not null, "status" text collate "C" not null, "current_step_id" uuid null, "exit_reason" text collate "C" null, "error" text collate "C" null, "context" jsonb not null, "event_id" uuid null, "event" jsonb not null, "once" boolean not null, "due_at" timestamptz(3) null, "waiting_for" text collate "C" null, "attempts" integer not null, "started_at" timestamptz(3) not null, "completed_at" timestamptz(3) null, "updated_at" timestamptz(3) not null, "lease_token" text collate "C" null, "lease_until" timestamptz(3) null, primary key ("id"))`,
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
      `create table "workflow_step_runs" ("id" uuid not null, "project_id" uuid not null, "workflow_id" uuid not null, "execution_id" uuid not null, "step_id" uuid not null, "status" text collate "C" not null, "output" jsonb null, "error" text collate "C" null, "started_at" timestamptz(3) not null, "completed_at" timestamptz(3) null, primary key ("id"))`,
    )
    this.addSql(`create index "workflow_step_runs_of" on "workflow_step_runs" ("execution_id", "id")`)
    this.addSql(
      `create index "workflow_step_runs_counts" on "workflow_step_runs" ("project_id", "workflow_id", "step_id", "status")`,
    )
    this.addSql(
      `create table "webhook_secrets" ("project_id" uuid not null, "secret" text collate "C" not null, "earlier" text collate "C" null, "earlier_until" timestamptz(3) null, primary key ("project_id"))`,
    )
    this.addSql(
      `create table "webhook_endpoints" ("id" uuid not null, "project_id" uuid not null, "url" text collate "C" not null, "description" text collate "C" null, "events" jsonb not null, "enabled" boolean not null, "failing_since" timestamptz(3) null, "paused_reason" text collate "C" null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"))`,
    )
    this.addSql(`create index "webhook_endpoints_page" on "webhook_endpoints" ("project_id", "id")`)
    this.addSql(
      `create table "webhook_deliveries" ("id" uuid not null, "project_id" uuid not null, "endpoint_id" uuid null, "workflow_id" uuid null, "execution_id" uuid null, "step_id" uuid null, "event_id" uuid null, "event_name" text collate "C" null, "replay_of" uuid null, "url" text collate "C" not null, "method" text collate "C" not null, "headers" jsonb not null, "body" text collate "C" null, "timeout" integer not null, "status" text collate "C" not null, "attempts" integer not null, "due_at" timestamptz(3) not null, "response_status" integer null, "response_body" text collate "C" null, "error" text collate "C" null, "created_at" timestamptz(3) not null, "completed_at" timestamptz(3) null, "updated_at" timestamptz(3) not null, "lease_token" text collate "C" null, "lease_until" timestamptz(3) null, primary key ("id"))`,
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
      `create table "untold_events" ("id" uuid not null, "project_id" uuid not null, "name" text collate "C" not null, "contact_id" uuid not null, "created_at" timestamptz(3) not null, primary key ("id"))`,
    )
    for (const sql of OUTBOX_TRIGGERS) this.addSql(sql)
  }
}
