import { Alert, Button, Group, Paper, Select, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { IconChecklist } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useRef, useState } from 'react'
import { ApiError } from '../api/api-error.ts'
import { answerOf, type components } from '../api/client.ts'
import { useApi, useMay, useProject } from '../api/project.tsx'
import { useSession } from '../api/session.tsx'
import { SavingText, useAutosave } from '../parts/autosave.tsx'
import { useConfirm } from '../parts/confirm.tsx'
import { FormBox, useForm } from '../parts/form.tsx'
import { LayoutSelect } from '../parts/layout-select.tsx'
import { MailEditor } from '../parts/mail-editor/mail-editor.tsx'
import { MailHead } from '../parts/mail-editor/mail-head.tsx'
import type { MailSource } from '../parts/mail-editor/written.ts'
import { Moment } from '../parts/moment.tsx'
import { useNotices } from '../parts/notices.ts'
import { TopicSelect } from '../parts/topic-select.tsx'
import { forgetUnsaved } from '../parts/unsaved.tsx'
import { useTexts } from '../texts/texts.tsx'
import { CheckPanel } from './check-panel.tsx'
import { SlugField } from './slug-field.tsx'

type Template = components['schemas']['Template']

/** What somebody else did meanwhile, which the own words must not be written over without asking. */
interface Meanwhile {
  readonly theirs: Template
  readonly by: string
  readonly at: string
}

/**
 * The template as it is to be. What is typed is kept as a draft automatically; what is sent stays unchanged until somebody
 * publishes. `onAnew` shows the page once more, with what the server has.
 */
export function EditTemplate({ template, onAnew }: { readonly template: Template; readonly onAnew: () => void }) {
  const t = useTexts()
  const api = useApi()
  const project = useProject()
  const { user } = useSession()
  const queries = useQueryClient()
  const notices = useNotices()
  const confirm = useConfirm()
  const may = useMay()
  const { id, draft } = template
  const path = { params: { path: { id } } }
  const key = [project.id, 'templates', id]
  // what the server is known to have, so that it refuses to write over anything else
  const known = useRef({ version: draft?.version ?? template.version, revision: draft?.revision ?? null })
  const [meanwhile, setMeanwhile] = useState<Meanwhile | undefined>()
  const [isPublishing, setPublishing] = useState(false)
  const [isChecking, setChecking] = useState(false)
  const form = useForm({
    initial: valuesOf(template, draft?.fields),
    autosave: true,
    async save(values) {
      try {
        const written = await answerOf(
          api.PUT('/templates/{id}/draft', { ...path, body: { ...fieldsOf(values), ...known.current } }),
        )
        known.current = { version: written.version, revision: written.revision }
        queries.setQueryData<Template>(key, (before) => before && { ...before, draft: written })
      } catch (error) {
        if (isConflict(error)) await lookWhoElse()
        throw error
      }
    },
  })
  const saving = useAutosave(form, may.templates && meanwhile === undefined && !isPublishing)
  const refusal = form.errorOf('body') ?? form.errorOf('source')
  const isSame = useMemo(() => asSent(form.values) === asSent(valuesOf(template)), [form.values, template])

  /** Asks what is there now, and who wrote it. */
  async function lookWhoElse() {
    const theirs = await answerOf(api.GET('/templates/{id}', path))
    const isDraft = theirs.draft !== undefined && theirs.draft.revision !== known.current.revision
    const { data } = isDraft ? { data: [] } : await answerOf(api.GET('/templates/{id}/versions', { ...path }))
    const by = theirs.draft && isDraft ? theirs.draft.by : data[0]?.by
    const at = theirs.draft && isDraft ? theirs.draft.updatedAt : (data[0]?.createdAt ?? theirs.updatedAt)
    setMeanwhile({ theirs, at, by: by === undefined || by.type === 'engine' ? t.templates.byEngine : by.name })
  }
  const publish = async () => {
    setPublishing(true)
    try {
      if (form.isChanged && !(await form.submit())) return
      const { version, revision } = known.current
      await answerOf(api.POST('/templates/{id}/publish', { ...path, body: { version, revision } }))
      forgetUnsaved()
      notices.done(t.templates.published)
      const published = await answerOf(api.GET('/templates/{id}', path))
      known.current = { version: published.version, revision: published.draft?.revision ?? null }
      queries.setQueryData<Template>(key, published)
      await queries.invalidateQueries({ queryKey: [project.id, 'templates'] })
    } catch (error) {
      if (isConflict(error)) await lookWhoElse()
      else form.refuse(error as Error)
    } finally {
      setPublishing(false)
    }
  }
  const takeMine = async () => {
    if (meanwhile === undefined) return
    const { version, draft: other } = meanwhile.theirs
    known.current = { version, revision: other?.revision ?? null }
    setMeanwhile(undefined)
    await form.submit()
  }
  const takeAnew = async () => {
    forgetUnsaved()
    queries.setQueryData<Template>(key, await answerOf(api.GET('/templates/{id}', path)))
    onAnew()
  }
  const discard = async () => {
    const question = { title: t.templates.discardTitle, text: t.templates.discardHint, yes: t.templates.discard }
    if (!(await confirm({ ...question, grave: true }))) return
    try {
      await answerOf(api.DELETE('/templates/{id}/draft', path))
      await takeAnew()
    } catch (error) {
      notices.refused(error as Error, project.id)
    }
  }
  const checkButton = (
    <Button variant="default" leftSection={<IconChecklist size={16} />} onClick={() => setChecking(true)}>
      {t.checks.button}
    </Button>
  )
  return (
    <Stack>
      <CheckPanel
        mail={{ ...form.values, type: form.values.type === 'TRANSACTIONAL' ? 'TRANSACTIONAL' : 'MARKETING' }}
        opened={isChecking}
        onClose={() => setChecking(false)}
      />
      {meanwhile === undefined ? null : (
        <Alert color="yellow" role="alert" title={t.templates.meanwhile(meanwhile.by)}>
          <Stack gap="xs" align="flex-start">
            <Text size="sm">
              <Moment at={meanwhile.at} />. {t.templates.meanwhileHint}
            </Text>
            <Group gap="xs">
              <Button size="xs" onClick={() => void takeMine()}>
                {t.templates.takeMine}
              </Button>
              <Button size="xs" variant="default" onClick={() => void takeAnew()}>
                {t.templates.takeTheirs}
              </Button>
            </Group>
          </Stack>
        </Alert>
      )}
      {isSame ? null : (
        <Alert color="blue" variant="light" py={6}>
          {t.templates.isDraft}{' '}
          {draft && draft.by.type === 'user' && draft.by.id !== user.id ? (
            <>
              {t.templates.draftBy(draft.by.name)} <Moment at={draft.updatedAt} />.
            </>
          ) : null}
        </Alert>
      )}
      <FormBox
        form={form}
        readOnly={!may.templates}
        actions={
          <>
            {template.draft || saving.state !== 'saved' ? (
              <SavingText saving={saving} saved={t.templates.draftSaved} />
            ) : null}
            {checkButton}
            {isSame && draft === undefined ? null : (
              <Button variant="default" onClick={() => void discard()} disabled={isPublishing}>
                {t.templates.discard}
              </Button>
            )}
            <Button onClick={() => void publish()} loading={isPublishing} disabled={isSame || meanwhile !== undefined}>
              {t.templates.publish}
            </Button>
          </>
        }
      >
        <Paper withBorder p="xs">
          <Stack>
            <MailEditor
              head={<MailHead subject={form.text('subject')} preheader={form.text('preheader')} />}
              label={t.templates.body}
              subject={form.values.subject}
              preheader={form.values.preheader}
              body={form.values.body}
              layoutId={form.values.layoutId}
              design={form.values.design}
              source={form.values.source}
              onChange={form.setAll}
            />
            {refusal === undefined ? null : (
              <Text c="red" size="sm" role="alert">
                {refusal}
              </Text>
            )}
            <LayoutSelect {...form.field('layoutId')} />
          </Stack>
        </Paper>
        <Paper withBorder p="md">
          <Stack maw={560}>
            <TextInput label={t.templates.name} required {...form.text('name')} />
            <SlugField key={template.slug} id={id} slug={template.slug} />
            <Select
              label={t.templates.type}
              description={t.templates.typeHint}
              data={(['MARKETING', 'TRANSACTIONAL'] as const).map((value) => ({
                value,
                label: t.status[value] ?? value,
              }))}
              allowDeselect={false}
              value={form.values.type}
              onChange={(chosen) => chosen && form.set('type', chosen)}
              error={form.errorOf('type')}
            />
            {form.values.type === 'MARKETING' ? <TopicSelect {...form.field('topicId')} /> : null}
            <TextInput label={t.templates.from} type="email" placeholder={project.from?.email} {...form.text('from')} />
            <TextInput label={t.templates.fromName} {...form.text('fromName')} />
            <TextInput label={t.templates.replyTo} type="email" {...form.text('replyTo')} />
            <Textarea label={t.templates.description} autosize minRows={2} {...form.text('description')} />
          </Stack>
        </Paper>
      </FormBox>
      {may.templates ? null : <Group justify="flex-end">{checkButton}</Group>}
    </Stack>
  )
}

type Written = components['schemas']['TemplateDraft']['fields']

/** What the form shows: the draft's fields, and the template's where the draft has none. */
function valuesOf(template: Template, draft: Written = {}) {
  const {
    name,
    description,
    subject,
    preheader,
    body,
    design,
    source,
    layoutId,
    topicId,
    type,
    from,
    fromName,
    replyTo,
  } = { ...template, ...draft }
  return {
    name: name ?? '',
    description: description ?? '',
    subject: subject ?? '',
    preheader: preheader ?? '',
    body: body ?? '',
    design: design ?? null,
    source: (source ?? null) as MailSource | null,
    layoutId: layoutId ?? '',
    topicId: topicId ?? '',
    type: type ?? '',
    from: from ?? '',
    fromName: fromName ?? '',
    replyTo: replyTo ?? '',
  }
}

/** The fields as they are sent: an empty optional one is taken away. */
function fieldsOf({
  description,
  preheader,
  layoutId,
  topicId,
  from,
  fromName,
  replyTo,
  ...rest
}: ReturnType<typeof valuesOf>) {
  return {
    ...rest,
    description: description || null,
    preheader: preheader || null,
    layoutId: layoutId || null,
    // only marketing mail has one
    topicId: (rest.type === 'MARKETING' && topicId) || null,
    from: from || null,
    fromName: fromName || null,
    replyTo: replyTo || null,
  }
}

/** The values as the server stores them, as one text: without blanks at their ends, keys of objects in one order. */
function asSent(values: ReturnType<typeof valuesOf>): string {
  const { name, from, replyTo } = values
  const stored = {
    ...values,
    // the server makes it of the source
    body: values.source === null ? values.body : '',
    name: name.trim(),
    from: from.trim().toLowerCase(),
    replyTo: replyTo.trim().toLowerCase(),
  }
  return JSON.stringify(stored, (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  )
}

function isConflict(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 'VERSION_CONFLICT' || error.code === 'CONFLICT')
}
