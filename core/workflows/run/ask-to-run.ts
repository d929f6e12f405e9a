import type { Kit } from '../../kit.ts'
import type { Queue } from '../../ports/queue.ts'
import { TASKS } from '../../work/jobs.ts'

/** Asks for executions that became due to be run at once; answers at once. When it is forgotten the schedule finds them. */
export function askToRun(queue: Queue, kit: Kit): void {
  queue
    .add([{ task: TASKS.runWorkflows, lane: 'workflow', ids: [TASKS.runWorkflows], key: TASKS.runWorkflows }])
    .catch((error) => kit.log.debug('the schedule will run workflows', { error }))
}
