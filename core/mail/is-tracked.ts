import type { Project } from '../ports/store/projects.ts'

/**
 * Whether the opens and clicks of a mail are tracked: as the mail itself says (`asked`), else as its project does. It is
 * settled when the mail is accepted.
 */
export function isTracked({ tracking }: Project, marketing: boolean, asked?: boolean | null): boolean {
  return asked ?? (tracking === 'ENABLED' || (tracking === 'MARKETING_ONLY' && marketing))
}
