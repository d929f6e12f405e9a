import { useEffect, useMemo } from 'react'
import { isMailPage } from '../../../../core/mail/formats/mail-page.ts'
import { useProject } from '../../api/project.tsx'
import { compose } from './compose.ts'
import { designOf } from './design.ts'
import type { WrittenMail } from './written.ts'

/** Takes the project's look of today into a drawn draft, also while its editor is not open. */
export function useFollowedLook(
  { body, design: stored, source }: Pick<WrittenMail, 'body' | 'source'> & { readonly design: unknown },
  take: (mail: WrittenMail) => void,
  wanted: boolean,
): void {
  const project = useProject()
  const now = useMemo(() => {
    const design = source === null && wanted ? designOf(stored) : undefined
    // a body that another program wrote beside its design stays
    if (design === undefined || !isMailPage(body)) return undefined
    const made = compose(design, project)
    return made === body ? undefined : { body: made, design, source: null }
  }, [body, stored, source, project, wanted])
  useEffect(() => {
    if (now !== undefined) take(now)
  })
}
