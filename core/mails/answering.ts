import type { MailContent } from '../ports/store/contents.ts'
import type { Project } from '../ports/store/projects.ts'

/** Hears of accepted mails that answer others, once they are committed. It never throws. */
export type Answering = (project: Project, emailIds: readonly string[]) => Promise<void>

const FIELDS: ReadonlySet<string> = new Set(['in-reply-to', 'references'])

/** Whether a mail names others that it answers (RFC 5322, section 3.6.4). */
export function isAnswer({ headers, submitted }: MailContent): boolean {
  return (
    headers.some(([name]) => FIELDS.has(name.toLowerCase())) ||
    (submitted !== undefined && /^(?:in-reply-to|references):/im.test(submitted.header))
  )
}

/**
 * Holds answers back that a transaction of the host accepts: `hear` takes them, and `wasStored`, which is asked once that has ended,
 * passes them on when it was committed.
 */
export function heldAnswers(
  project: Project,
  isStored: (emailIds: readonly string[]) => Promise<boolean>,
  answering: Answering | undefined,
): { readonly hear: Answering; wasStored(emailIds: readonly string[]): Promise<boolean> } {
  const held: string[] = []
  return {
    hear: async (_project, emailIds) => void held.push(...emailIds),
    async wasStored(emailIds) {
      const stored = await isStored(emailIds)
      if (stored && held.length > 0) await answering?.(project, held)
      return stored
    },
  }
}
