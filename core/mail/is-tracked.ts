import type { Project } from '../ports/store/projects.ts'

/**
 * Whether a mail's opens and clicks are tracked: as the mail says (`asked`), else as its project does. Decided when the
 * mail is accepted.
 */
export function isTracked({ tracking }: Project, marketing: boolean, asked?: boolean | null): boolean {
  return asked ?? (tracking === 'ENABLED' || (tracking === 'MARKETING_ONLY' && marketing))
}
