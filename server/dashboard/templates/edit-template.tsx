import { Alert, Button, Group, Paper, Select, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { IconChecklist } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { answerOf, type components } from '../api/client.ts'
import { useApi, useMay, useProject } from '../api/project.tsx'
import { useSession } from '../api/session.tsx'
import { SavingText, useAutosave } from '../parts/autosave.tsx'
import { useConfirm } from '../parts/confirm.tsx'
import { FormBox } from '../parts/form.tsx'
import { type Seen, useSharedForm } from '../parts/joint-form.tsx'
import { LayoutSelect } from '../parts/layout-select.tsx'
import { MailEditor } from '../parts/mail-editor/mail-editor.tsx'
import { MailHead } from '../parts/mail-editor/mail-head.tsx'
import { SubjectIdeas } from '../parts/mail-editor/subject-ideas.tsx'
import type { MailSource } from '../parts/mail-editor/written.ts'
import { Moment } from '../parts/moment.tsx'
import { useNotices } from '../parts/notices.ts'
import { TopicSelect } from '../parts/topic-select.tsx'
import { useTexts } from '../texts/texts.tsx'
import type { Texts } from '../texts/types.ts'
import { CheckPanel } from './check-panel.tsx'
import { SlugField } from './slug-field.tsx'

type Template = components['schemas']['Template']

/** Where a template stands: its version, and the revision of the draft that goes out from it. */
interface Standing {
  readonly version: number
  readonly revision: string | null
}

type Values = ReturnType<typeof valuesOf>

/** Fields that are one thing: the mail and what it was made of. */
const TOGETHER = [['body', 'design', 'source']] as const

/**
 * The template as it is to be. What is typed is kept as a draft automatically; the mails that are sent stay unchanged until
 * it is published. `onAnew` shows the page once more, with what the server has.
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
  const [isPublishing, setPublishing] = useState(false)
  const [isChecking, setChecking] = useState(false)
  const read = () => answerOf(api.GET('/templates/{id}', path))
  const form = useSharedForm<Values, Draft, Standing>({
    seen: seenOf(template),
    seenAfter: ({ version, revision, fields }) => ({
      values: valuesOf(template, fields),
      version: { version, revision },
    }),
    // revisions of drafts are made one after the other, as their ids are
    isLater: (now, known) =>
      now.version > known.version || (now.version === known.version && (now.revision ?? '') > (known.revision ?? '')),
    async read({ version: known }) {
      const now = await read()
      const isOtherDraft = now.draft !== undefined && now.draft.revision !== known.revision
      if (isOtherDraft || now.version <= known.version) return seenOf(now)
      // published, or changed by a program, beside the draft: both began from the version before
      const at = { params: { path: { id, version: String(known.version) } } }
      const { fields } = await answerOf(api.GET('/templates/{id}/versions/{version}', at))
      const version = { version: now.version, revision: now.draft?.revision ?? null }
      return { values: valuesOf(now), version, base: valuesOf({}, fields) }
    },
    async save(values, { version }) {
      const body = { ...fieldsOf(values), ...version }
      const written = await answerOf(api.PUT('/templates/{id}/draft', { ...path, body }))
      queries.setQueryData<Template>(key, (before) => before && { ...before, draft: written })
      return written
    },
    together: TOGETHER,
    labels: labelsOf(t),
    autosave: true,
  })
  const saving = useAutosave(form, may.templates && !isPublishing)
  const refusal = form.errorOf('body') ?? form.errorOf('source')
  const isSame = useMemo(() => asSent(form.values) === asSent(valuesOf(template)), [form.values, template])

  const publish = async () => {
    setPublishing(true)
    try {
      if (form.isChanged && !(await form.submit())) return
      const done = await form.act((version) =>
        answerOf(api.POST('/templates/{id}/publish', { ...path, body: version })),
      )
      if (done === undefined) return
      notices.done(t.templates.published)
      const published = await read()
      form.know(seenOf(published))
      queries.setQueryData<Template>(key, published)
      await queries.invalidateQueries({ queryKey: [project.id, 'templates'] })
    } catch (error) {
      form.refuse(error as Error)
    } finally {
      setPublishing(false)
    }
  }
  const takeAnew = async () => {
    queries.setQueryData<Template>(key, await read())
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
              <SavingText saving={saving} saved={t.templates.draftSaved} labels={labelsOf(t)} />
            ) : null}
            {checkButton}
            {isSame && draft === undefined ? null : (
              <Button variant="default" onClick={() => void discard()} disabled={isPublishing}>
                {t.templates.discard}
              </Button>
            )}
            <Button
              onClick={() => void publish()}
              loading={isPublishing}
              disabled={isSame || form.question !== undefined}
            >
              {t.templates.publish}
            </Button>
          </>
        }
      >
        <Paper withBorder p="xs">
          <Stack>
            <MailEditor
              key={form.takenOf('body')}
              head={
                <MailHead
                  subject={form.text('subject')}
                  preheader={form.text('preheader')}
                  ideas={<SubjectIdeas body={form.values.body} onChoose={(subject) => form.set('subject', subject)} />}
                />
              }
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

type Draft = components['schemas']['TemplateDraft']
type Written = Draft['fields']

/** The draft where there is one, else what is sent. */
function seenOf(template: Template): Seen<Values, Standing> {
  const { draft } = template
  const version = { version: draft?.version ?? template.version, revision: draft?.revision ?? null }
  return { values: valuesOf(template, draft?.fields), version }
}

function labelsOf(t: Texts) {
  const { name, description, subject, preheader, body, type, from, fromName, replyTo } = t.templates
  return {
    name,
    description,
    subject,
    preheader,
    body,
    type,
    from,
    fromName,
    replyTo,
    layoutId: t.pieces.layout,
    topicId: t.topics.one,
  }
}

/** The values of the form: the draft's fields, and the template's where the draft has none. */
function valuesOf(template: Partial<Template>, draft: Written = {}) {
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
