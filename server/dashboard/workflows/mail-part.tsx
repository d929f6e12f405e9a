import { Button, Stack, Text } from '@mantine/core'
import { IconPencil } from '@tabler/icons-react'
import { Link } from 'wouter'
import { type Api, answerOf } from '../api/client.ts'
import { type Project, useMay, useProjectId } from '../api/project.tsx'
import { compose } from '../parts/mail-editor/compose.ts'
import { letterOf } from '../parts/starters.ts'
import { TemplateSelect } from '../parts/template-select.tsx'
import { toProject } from '../shell/to-app.ts'
import { useTexts } from '../texts/texts.tsx'
import type { Texts } from '../texts/types.ts'

/** A page of a template that leads back to the workflow. */
export function templateOf(project: string, id: string, workflow: string): string {
  return toProject(project, `/templates/${id}?workflow=${workflow}`)
}

/**
 * Makes a template for a mail that is about to be written, and answers its id. With a topic its unsubscribe link leaves
 * that one alone.
 */
export async function newMail(
  api: Api,
  project: Project,
  { name, subject, topicId }: { readonly name: string; readonly subject: string; readonly topicId: string | undefined },
  t: Texts,
): Promise<string> {
  const design = letterOf({ words: [t.starters.samples.blank], button: '', link: undefined, isForAll: false }, t)
  const mail = { name, subject, body: compose(design, project), design, type: 'MARKETING' as const }
  const body = topicId === undefined ? mail : { ...mail, topicId }
  return (await answerOf(api.POST('/templates', { body }))).id
}

/** The mail that a step sends: a new one, which is written in the editor, or one of the templates. */
export function MailPart({
  value,
  onChange,
  error,
  workflow,
  onWrite,
  isWriting,
}: {
  readonly value: string
  readonly onChange: (id: string) => void
  readonly error: string | undefined
  readonly workflow: string
  readonly onWrite: () => void
  readonly isWriting: boolean
}) {
  const t = useTexts()
  const project = useProjectId()
  const may = useMay()
  if (value !== '') {
    return (
      <Stack gap="xs" align="stretch">
        <TemplateSelect label={t.workflows.template} value={value} onChange={onChange} error={error} clearable />
        <Button
          component={Link}
          href={templateOf(project, value, workflow)}
          variant="light"
          size="compact-sm"
          w="fit-content"
          leftSection={<IconPencil size={14} />}
        >
          {t.workflows.editMail}
        </Button>
      </Stack>
    )
  }
  return (
    <Stack gap="xs" align="stretch">
      {may.templates ? (
        <>
          <Button w="fit-content" leftSection={<IconPencil size={16} />} loading={isWriting} onClick={onWrite}>
            {t.workflows.writeMail}
          </Button>
          <Text size="sm" c="dimmed">
            {t.workflows.writeMailHint}
          </Text>
        </>
      ) : null}
      <TemplateSelect
        label={may.templates ? t.workflows.orTemplate : t.workflows.template}
        value={value}
        onChange={onChange}
        error={error}
      />
    </Stack>
  )
}
