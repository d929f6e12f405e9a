import { Alert, Paper, TextInput } from '@mantine/core'
import { useMemo, useState } from 'react'
import { useLocation } from 'wouter'
import { useAsk } from '../api/ask.ts'
import { type Api, answerOf, type components } from '../api/client.ts'
import { useApi, useProject } from '../api/project.tsx'
import { useAddress } from '../parts/address.ts'
import type { Filter } from '../parts/filter/language.ts'
import { FormBox, useForm } from '../parts/form.tsx'
import { useFormats } from '../parts/formats.ts'
import { importedBy, segmentOf, useSubscribed } from '../parts/imported.ts'
import { compose } from '../parts/mail-editor/compose.ts'
import type { Design } from '../parts/mail-editor/design.ts'
import { useNotices } from '../parts/notices.ts'
import { Page } from '../parts/page.tsx'
import { SenderField } from '../parts/sender-field.tsx'
import { BLANK_START, StartChoice } from '../parts/start-choice.tsx'
import { blankIn, isDraftOfRecipe, type Starter, startersIn } from '../parts/starters.ts'
import { TemplateSelect } from '../parts/template-select.tsx'
import { TopicSelect } from '../parts/topic-select.tsx'
import { useTexts } from '../texts/texts.tsx'

/** How many of the project's templates are shown, the newest. */
const SHOWN = 6
/** How many are looked at: the mails of a recipe that is not written yet are no starts. */
const ASKED = 20
const NONE: readonly never[] = []
/** The answer about the topic before one is given; an empty one is "none". */
const ASKED_YET = null

type ImportJob = components['schemas']['ImportJob']
type Audience = Pick<components['schemas']['Campaign'], 'audienceType'> & { readonly audienceFilter?: Filter }

/** The first questions of a campaign; the answers make a draft. */
export function NewCampaign() {
  const t = useTexts()
  const formats = useFormats()
  const notices = useNotices()
  const api = useApi()
  const project = useProject()
  const { values } = useAddress()
  const [, navigate] = useLocation()
  const topics = useAsk(['topics', 'list'], (client, signal) => client.GET('/topics', { signal }))
  const templates = useAsk(['templates', 'newest'], (client, signal) =>
    client.GET('/templates', { params: { query: { limit: ASKED, type: 'MARKETING' } }, signal }),
  )
  const drawn = (design: Design) => ({ design, body: compose(design, project) })
  const chosen = useAsk(
    ['templates', values.template],
    (client, signal) => client.GET('/templates/{id}', { params: { path: { id: values.template ?? '' } }, signal }),
    { enabled: values.template !== undefined },
  )
  const all = templates.data?.templates ?? NONE
  const newest = useMemo(() => all.filter(({ body }) => !isDraftOfRecipe(body)), [all])
  const shown = useMemo(
    // a user who comes from a template sees it first
    () => (chosen.data ? [chosen.data, ...newest.filter(({ id }) => id !== chosen.data?.id)] : newest).slice(0, SHOWN),
    [chosen.data, newest],
  )
  const starters = useMemo(() => startersIn(t), [t])
  const offered = (topics.data?.data ?? NONE).filter(({ archived }) => !archived)
  const importJob = (client: Api, jobId: string) =>
    client.GET('/contacts/import/{jobId}', { params: { path: { jobId } } })
  const job = useAsk(['jobs', values.imported], (client) => importJob(client, values.imported ?? ''), {
    enabled: values.imported !== undefined,
  })
  const imported = useSubscribed(job.data ?? 'all', { enabled: job.data !== undefined })
  const [isRefused, setRefused] = useState(false)
  /** The topic that was chosen, else that of the template, else the project's only one. */
  const topicOf = (topicId: string | null, start: string): string | null => {
    const ofTemplate = shown.find(({ id }) => id === start)?.topicId
    return topicId ?? ofTemplate ?? (offered.length === 1 ? (offered[0]?.id ?? ASKED_YET) : ASKED_YET)
  }
  /** A draft that is made already stays as it is, to its filter, when this fails or the contacts are too many. */
  const toSegmentOf = async (importing: ImportJob, id: string) => {
    try {
      const segmentId = await segmentOf(api, importing, t.campaigns.importOf(formats.time(importing.createdAt)))
      if (segmentId === undefined) return
      const body = { audienceType: 'SEGMENT' as const, segmentId }
      await answerOf(api.PATCH('/campaigns/{id}', { params: { path: { id } }, body }))
    } catch (error) {
      notices.refused(error as Error)
    }
  }
  const form = useForm({
    initial: {
      name: '',
      subject: '',
      from: project.from?.email ?? '',
      start: values.template ?? BLANK_START,
      topicId: values.topic ?? (ASKED_YET as string | null),
    },
    async save({ name, subject, from, start, topicId }) {
      const starter = starters.find(({ key }) => key === start)
      const given = subject === '' ? {} : { subject }
      const words = isOurs(start, starters)
        ? { subject: subject || (starter?.subject ?? ''), ...drawn(starter?.design ?? blankIn(t)) }
        : { ...given, template: start }
      const importing =
        values.imported === undefined ? undefined : (job.data ?? (await answerOf(importJob(api, values.imported))))
      const audience: Audience =
        importing === undefined
          ? { audienceType: 'ALL' }
          : { audienceType: 'FILTERED', audienceFilter: importedBy(importing) }
      const made = await answerOf(
        api.POST('/campaigns', {
          body: { name, from, ...words, ...audience, topicId: topicOf(topicId, start) || null },
        }),
      )
      if (importing !== undefined) await toSegmentOf(importing, made.data.id)
      return made
    },
    async agree({ start, topicId }) {
      const isAnswered = topicOf(topicId, start) !== ASKED_YET || offered.length === 0
      setRefused(!isAnswered)
      return isAnswered
    },
    onSaved: ({ data }) => navigate(`/${data.id}`),
  })
  return (
    <Page title={t.campaigns.new} trail={[{ text: t.campaigns.title, href: '/' }]}>
      <Paper withBorder p="lg" maw={900}>
        <FormBox form={form} submit={t.campaigns.make}>
          {job.data === undefined || imported === undefined ? null : (
            <Alert color="blue">{t.campaigns.toImported(imported, formats.number(imported))}</Alert>
          )}
          <StartChoice
            label={t.campaigns.template}
            description={t.campaigns.templateHint}
            type="MARKETING"
            own={shown}
            {...form.field('start')}
          />
          {templates.data?.hasMore || all.length > shown.length ? (
            <TemplateSelect
              label={t.campaigns.otherTemplate}
              value={isOurs(form.values.start, starters) ? '' : form.values.start}
              onChange={(id) => form.set('start', id || BLANK_START)}
              clearable
            />
          ) : null}
          <TextInput label={t.campaigns.name} description={t.campaigns.nameHint} required {...form.text('name')} />
          <TextInput
            label={t.campaigns.subject}
            description={form.values.start === BLANK_START ? t.campaigns.subjectHint : t.campaigns.subjectOrHint}
            required={form.values.start === BLANK_START}
            {...form.text('subject')}
          />
          <SenderField {...form.field('from')} />
          <TopicSelect
            value={topicOf(form.values.topicId, form.values.start)}
            onChange={(id) => form.set('topicId', id)}
            error={
              form.errorOf('topicId') ?? (isRefused && form.values.topicId === ASKED_YET ? t.topics.choose : undefined)
            }
          />
        </FormBox>
      </Paper>
    </Page>
  )
}

/** Whether a start is blank or one of ours, and no template of the project. */
function isOurs(start: string, starters: readonly Starter[]): boolean {
  return start === BLANK_START || starters.some(({ key }) => key === start)
}
