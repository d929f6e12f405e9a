import type { Job } from '../ports/queue.ts'
import { asProjectId, type ProjectId } from '../values/project-id.ts'

/** What a queued job names: a campaign of a project. */
export interface NamedCampaign {
  readonly projectId: ProjectId
  readonly id: string
}

/** A job about the campaign; with `key` a later one of the task takes the place of one that still waits. */
export function campaignJob(
  task: string,
  { projectId, id }: NamedCampaign,
  more: Pick<Job, 'key' | 'notBefore'> = {},
): Job {
  return { task, lane: 'campaign', ids: [`${projectId}/${id}`], ...more }
}

/** Reads what `campaignJob` named. */
export function campaignOfJob(jobId: string): NamedCampaign | undefined {
  const [project = '', id] = jobId.split('/')
  const projectId = asProjectId(project)
  return projectId && id ? { projectId, id } : undefined
}
