import { Checkbox, Select, Stack } from '@mantine/core'
import { APPROVALS, INBOX_RIGHTS, type InboxRight } from '../../../core/ports/store/projects.ts'
import { useTexts } from '../texts/texts.tsx'

/** The part of a form that says what a program may do in inboxes. */
export interface AgentForm {
  readonly values: { readonly rights: InboxRight[]; readonly approval: (typeof APPROVALS)[number] }
  set(field: 'rights', value: InboxRight[]): void
  set(field: 'approval', value: (typeof APPROVALS)[number]): void
  errorOf(field: string): string | undefined
}

/** The rights of a program in inboxes, and which of its mails wait for approval. */
export function AgentFields({
  form,
  label,
  offered = INBOX_RIGHTS,
}: {
  readonly form: AgentForm
  /** The name of the rights. */
  readonly label: string
  /** Rights that can be given; by default all. */
  readonly offered?: readonly InboxRight[]
}) {
  const t = useTexts()
  const { rights, approval } = form.values
  return (
    <>
      <Checkbox.Group
        label={label}
        value={rights}
        onChange={(chosen) => form.set('rights', chosen as InboxRight[])}
        error={form.errorOf('rights')}
      >
        <Stack gap="xs" mt="xs">
          {offered.map((right) => (
            <Checkbox key={right} value={right} label={t.settings.agent.rights[right]} />
          ))}
        </Stack>
      </Checkbox.Group>
      <Select
        label={t.inboxes.approval}
        description={t.settings.agent.approvalHint}
        data={APPROVALS.map((value) => ({ value, label: t.inboxes.approvals[value] }))}
        allowDeselect={false}
        value={approval}
        onChange={(chosen) => form.set('approval', chosen ?? approval)}
        error={form.errorOf('approval')}
      />
    </>
  )
}
