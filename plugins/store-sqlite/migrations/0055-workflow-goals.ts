import { Migration } from '@mikro-orm/migrations'

/** The goals of workflows, the events that end the executions of the contacts who do them. */
export class WorkflowGoals extends Migration {
  override up(): void {
    this.addSql('alter table "workflows" add column "goal_event" text null')
    this.addSql(
      'create index "workflows_by_goal" on "workflows" ("project_id", "goal_event") where goal_event is not null',
    )
    this.addSql('alter table "workflow_executions" add column "goal_at" datetime null')
    this.addSql(
      'create index "workflow_executions_goal" on "workflow_executions" ("project_id", "workflow_id", "id") where goal_at is not null',
    )
    for (const sql of OUTBOX_WITH_GOALS) this.addSql(sql)
  }
}

/** The trigger of 0004-workflows, which notes what is the goal of a workflow, too. */
const OUTBOX_WITH_GOALS: readonly string[] = [
  'drop trigger "events_untold"',
  `create trigger "events_untold" after insert on "events"
    when exists (select 1 from "workflows" where "project_id" = new."project_id" and "event_name" = new."name"
        and "enabled" and "trigger_type" = 'EVENT')
      or exists (select 1 from "webhook_endpoints" where "project_id" = new."project_id" and "enabled")
      or exists (select 1 from "workflow_executions" where "contact_id" = new."contact_id" and "waiting_for" = new."name"
        and "status" = 'WAITING')
      or exists (select 1 from "workflows" where "project_id" = new."project_id" and "goal_event" is not null
        and "goal_event" = new."name")
    begin
      insert into "untold_events" ("id", "project_id", "name", "contact_id", "created_at")
        values (new."id", new."project_id", new."name", new."contact_id", new."created_at");
    end`,
]
