import { useLocation } from 'wouter'
import { useProject } from '../api/project.tsx'
import { SidePanel } from '../parts/drawer.tsx'
import { type CheckableMail, MailFindings, useMailCheck } from '../parts/mail-check.tsx'
import { toProject } from '../shell/to-app.ts'
import { useTexts } from '../texts/texts.tsx'

export interface CheckPanelProps {
  /** The mail as it is typed. */
  readonly mail: CheckableMail
  readonly opened: boolean
  readonly onClose: () => void
}

/** The findings about the mail of a template, beside it. */
export function CheckPanel({ mail, opened, onClose }: CheckPanelProps) {
  const t = useTexts()
  return (
    <SidePanel title={t.checks.title} opened={opened} onClose={onClose}>
      <Check mail={mail} onClose={onClose} />
    </SidePanel>
  )
}

/** Asks once the panel is open. */
function Check({ mail, onClose }: Omit<CheckPanelProps, 'opened'>) {
  const project = useProject()
  const [, navigate] = useLocation()
  const check = useMailCheck(mail)
  return (
    <MailFindings
      check={check}
      onFix={(field) => (field === 'project' ? navigate(toProject(project.id, '/settings')) : onClose())}
    />
  )
}
