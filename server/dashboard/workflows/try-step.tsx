import { Alert, Anchor, Button, Divider, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import { ApiError } from '../api/api-error.ts'
import { useAct } from '../api/ask.ts'
import { useProjectId } from '../api/project.tsx'
import { ContactPicker } from '../parts/contact-picker.tsx'
import { useFormats } from '../parts/formats.ts'
import { TemplateName } from '../parts/name-of.tsx'
import { objectOf, type Pair } from '../parts/pairs.ts'
import { PairsInput } from '../parts/pairs-input.tsx'
import { wordsOf, wordsOfField } from '../parts/refusals.tsx'
import { toProject } from '../shell/to-app.ts'
import { useTexts } from '../texts/texts.tsx'
import type { Step, Workflow } from './graph.ts'
import { type Tried, triedWords } from './tried.ts'

/** Asks a step what it would do for a contact: the step as stored, whatever the form beside it says. */
export function TryStep({
  workflow,
  step,
  isChanged,
}: {
  readonly workflow: Workflow
  readonly step: Step
  /** True while the form has changes that are not stored. */
  readonly isChanged: boolean
}) {
  const t = useTexts()
  const [contact, setContact] = useState<string | undefined>()
  const [event, setEvent] = useState<readonly Pair[]>([])
  const asking = useAct(
    async (api, contactId: string) => {
      const data = objectOf(event, t.workflows.tryEvent, t)
      return api.POST('/workflows/{id}/steps/{stepId}/test', {
        params: { path: { id: workflow.id, stepId: step.id } },
        body: { contactId, ...(data === undefined ? {} : { event: data }) },
      })
    },
    { changes: [], quiet: true },
  )
  // an answer is that of the question which is still on show
  const asked = <Value,>(put: (value: Value) => void) => {
    return (value: Value) => {
      put(value)
      asking.reset()
    }
  }
  return (
    <Stack gap="sm">
      <Divider label={t.workflows.tryStep} labelPosition="left" />
      <Text size="sm" c="dimmed">
        {t.workflows.tryHint}
      </Text>
      <ContactPicker label={t.workflows.contact} value={contact} onChange={asked(setContact)} />
      {JSON.stringify(step.config).includes('event.') ? (
        <PairsInput
          label={t.workflows.tryEvent}
          description={t.workflows.tryEventHint}
          value={event}
          onChange={asked(setEvent)}
        />
      ) : null}
      {isChanged ? <Text size="sm">{t.workflows.tryStored}</Text> : null}
      <Button
        variant="default"
        w="fit-content"
        disabled={contact === undefined}
        loading={asking.isPending}
        onClick={() => contact && asking.mutate(contact)}
      >
        {t.workflows.tryNow}
      </Button>
      {asking.error ? <Refused error={asking.error} /> : null}
      {asking.data ? <Said tried={asking.data} step={step} workflow={workflow} /> : null}
    </Stack>
  )
}

function Said({ tried, step, workflow }: { readonly tried: Tried; readonly step: Step; readonly workflow: Workflow }) {
  const t = useTexts()
  const formats = useFormats()
  const project = useProjectId()
  const { subject = '' } = { ...step.config } as { readonly subject?: string }
  const isSent = step.type === 'SEND_EMAIL' && !tried.skipped
  return (
    <Alert color={tried.skipped ? 'yellow' : 'teal'} variant="light" role="status">
      {triedWords(tried, step, workflow, t, formats.time).join(' ')}{' '}
      {!isSent ? null : step.templateId === undefined ? (
        subject
      ) : (
        <Anchor component={Link} size="sm" href={toProject(project, `/templates/${step.templateId}`)}>
          <TemplateName id={step.templateId} />
        </Anchor>
      )}
    </Alert>
  )
}

/** The error that the step would fail with, or why it was not asked. */
function Refused({ error }: { readonly error: Error }) {
  const t = useTexts()
  const fields = error instanceof ApiError ? error.fields : []
  return (
    <Alert color="red" variant="light" role="alert" title={wordsOf(error, t).message}>
      {fields.map((problem) => (
        <Text size="sm" key={problem.field}>
          {problem.field}: {wordsOfField(problem, t)}
        </Text>
      ))}
    </Alert>
  )
}
