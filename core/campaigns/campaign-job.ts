import type { Job } from '../ports/queue.ts'
import { asProjectId, type ProjectId } from '../values/project-id.ts'

/** The campaign that a queued job is about. */
export interface NamedCampaign {
  readonly projectId: ProjectId
  readonly id: string
}

/** A job about the campaign; with `key` a later job of the task replaces one that still waits. */
export function campaignJob(
  task: string,
  { projectId, id }: NamedCampaign,
  more: Pick<Job, 'key' | 'notBefore'> = {},
): Job {
  return { task, lane: 'campaign', ids: [`${projectId}/${id}`], ...more }
}

/** Reads the campaign back from a job of `campaignJob`. */
export function campaignOfJob(jobId: string): NamedCampaign | undefined {
  const [project = '', id] = jobId.split('/')
  const projectId = asProjectId(project)
  return projectId && id ? { projectId, id } : undefined
}
