import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** The goals of workflows, the events that end the executions of the contacts who do them. */
export class WorkflowGoals extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql('alter table "workflows" add column "goal_event" text collate "C" null')
    this.addSql(
      'create index "workflows_by_goal" on "workflows" ("project_id", "goal_event") where goal_event is not null',
    )
    this.addSql('alter table "workflow_executions" add column "goal_at" timestamptz(3) null')
    this.addSql(
      'create index "workflow_executions_goal" on "workflow_executions" ("project_id", "workflow_id", "id") where goal_at is not null',
    )
    for (const sql of OUTBOX_WITH_GOALS) this.addSql(sql)
  }
}

/** The function of 0004-workflows, which notes what is the goal of a workflow, too. */
const OUTBOX_WITH_GOALS: readonly string[] = [
  `do $make$ begin
    execute format($function$
      create or replace function "mailwright_events_untold"() returns trigger language plpgsql as $$ begin
        insert into %1$I."untold_events" ("id", "project_id", "name", "contact_id", "created_at")
          select a."id", a."project_id", a."name", a."contact_id", a."created_at" from "added" as a
          where (select true from %1$I."workflows" as w where w."project_id" = a."project_id"
              and w."event_name" = a."name" and w."enabled" and w."trigger_type" = 'EVENT' limit 1)
            or (select true from %1$I."webhook_endpoints" as e where e."project_id" = a."project_id" and e."enabled" limit 1)
            or (select true from %1$I."workflow_executions" as x where x."contact_id" = a."contact_id"
              and x."waiting_for" = a."name" and x."status" = 'WAITING' limit 1)
            or (select true from %1$I."workflows" as g where g."project_id" = a."project_id"
              and g."goal_event" is not null and g."goal_event" = a."name" limit 1);
        return null;
      end $$ $function$, current_schema());
  end $make$`,
]
