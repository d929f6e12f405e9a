import { Checkbox, Stack, Textarea, TextInput } from '@mantine/core'
import { useAsk } from '../api/ask.ts'
import type { components } from '../api/client.ts'
import { useProjectId } from '../api/project.tsx'
import { useTexts } from '../texts/texts.tsx'

export type AssistantSettings = NonNullable<components['schemas']['Inbox']['assistant']>
/** The actions that it may be allowed. */
const ACTIONS = ['draft', 'label', 'assign', 'archive', 'spam'] as const satisfies AssistantSettings['actions']
type Assignees = NonNullable<AssistantSettings['assignees']>

/** How the assistant works in an inbox; null turns it off there. */
export function AssistantFields({
  value,
  onChange,
  errorOf,
}: {
  readonly value: AssistantSettings | null
  readonly onChange: (value: AssistantSettings | null) => void
  readonly errorOf: (field: string) => string | undefined
}) {
  const t = useTexts()
  const change = (some: Partial<AssistantSettings>) => {
    if (value !== null) onChange({ ...value, ...some })
  }
  return (
    <Stack gap="sm">
      <Checkbox
        label={t.assistant.inInbox}
        description={t.assistant.inInboxHint}
        checked={value !== null}
        onChange={({ currentTarget }) => onChange(currentTarget.checked ? { actions: ['draft'] } : null)}
      />
      {value === null ? null : (
        <>
          <Textarea
            label={t.assistant.instructions}
            description={t.assistant.instructionsHint}
            autosize
            minRows={3}
            maxRows={12}
            maxLength={5000}
            value={value.instructions ?? ''}
            onChange={({ currentTarget }) => change({ instructions: currentTarget.value })}
            error={errorOf('assistant.instructions')}
          />
          <TextInput
            label={t.assistant.tone}
            placeholder={t.assistant.toneHint}
            maxLength={200}
            value={value.tone ?? ''}
            onChange={({ currentTarget }) => change({ tone: currentTarget.value })}
            error={errorOf('assistant.tone')}
          />
          <Checkbox.Group
            label={t.assistant.may}
            value={[...value.actions]}
            onChange={(chosen) => change({ actions: ACTIONS.filter((action) => chosen.includes(action)) })}
            error={errorOf('assistant.actions')}
          >
            <Stack gap={6} mt={6}>
              {ACTIONS.map((action) => (
                <Checkbox key={action} value={action} label={t.assistant.actions[action]} />
              ))}
            </Stack>
          </Checkbox.Group>
          {value.actions.includes('assign') ? (
            <Duties of={value.assignees ?? []} onChange={(assignees) => change({ assignees })} />
          ) : null}
        </>
      )}
    </Stack>
  )
}

/** For each member what the member takes care of; those without are never assigned anything by the assistant. */
function Duties({ of, onChange }: { readonly of: Assignees; readonly onChange: (assignees: Assignees) => void }) {
  const t = useTexts()
  const project = useProjectId()
  const members = useAsk<readonly components['schemas']['Member'][]>(['members'], (api, signal) =>
    api.GET('/projects/{id}/members', { params: { path: { id: project } }, signal }),
  )
  const able = (members.data ?? []).filter(({ status }) => status === 'ACTIVE')
  const set = (id: string, duty: string) => {
    const others = of.filter((each) => each.id !== id)
    onChange(duty === '' ? others : [...others, { id, for: duty }])
  }
  return (
    <>
      {able.map(({ id, name, email }) => (
        <TextInput
          key={id}
          label={t.assistant.duty(name ?? email)}
          placeholder={t.assistant.dutyHint}
          maxLength={200}
          value={of.find((each) => each.id === id)?.for ?? ''}
          onChange={({ currentTarget }) => set(id, currentTarget.value)}
        />
      ))}
    </>
  )
}
