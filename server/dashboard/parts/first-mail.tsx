import { Button } from '@mantine/core'
import { Link } from 'wouter'
import { useMay, useProject } from '../api/project.tsx'
import { toProject } from '../shell/to-app.ts'
import { useFirstTexts } from '../texts/texts.tsx'

/** The button on empty pages about mail: it leads to the first mail that members send to themselves. */
export function FirstMail() {
  const t = useFirstTexts()
  const may = useMay()
  const project = useProject()
  if (!may.settings) return null
  return (
    <Button component={Link} href={toProject(project.id, '/start?step=mail')}>
      {t.home.steps.mail}
    </Button>
  )
}
