import { Grid, NumberInput, Paper, Select, Stack, Switch, Text, TextInput, Timeline, Title } from '@mantine/core'
import { Link } from 'wouter'
import { useAsk } from '../api/ask.ts'
import { answerOf, type components } from '../api/client.ts'
import { useApi, useMay, useProjectId } from '../api/project.tsx'
import { ActivityText } from '../parts/activity-text.tsx'
import { Answer } from '../parts/answer.tsx'
import { Copy, CopyCurl } from '../parts/copy.tsx'
import { shownStatus } from '../parts/delivered.ts'
import { FormBox, useForm } from '../parts/form.tsx'
import { useFormats } from '../parts/formats.ts'
import { Moment } from '../parts/moment.tsx'
import { DeleteButton } from '../parts/noun-actions.tsx'
import { Page } from '../parts/page.tsx'
import { Pill } from '../parts/pill.tsx'
import { toProject } from '../shell/to-app.ts'
import { useTexts } from '../texts/texts.tsx'
import { AwaitedConfirmation } from './awaited-confirmation.tsx'
import { InSegments, InWorkflows } from './contact-places.tsx'
import { ChosenTopics, Pause } from './contact-topics.tsx'
import { DataFields } from './data-fields.tsx'
import { editable, typed } from './data-text.ts'
import { MergeContact } from './merge-contact.tsx'

type Contact = components['schemas']['Contact']
/** The most that may be recorded first. */
const CONSENTS = ['full', 'anonymous', 'none'] as const

/** One contact: what is known, where it is, what happened, which mails there were. */
export function ContactPage({ id }: { readonly id: string }) {
  const t = useTexts()
  const may = useMay()
  const contact = useAsk(['contacts', id], (api, signal) =>
    api.GET('/contacts/{id}', { params: { path: { id } }, signal }),
  )
  return (
    <Answer of={contact} lines={8}>
      {(found) => (
        <Page
          title={found.email}
          beside={<Pill status={found.subscribed ? 'SUBSCRIBED' : 'NOT_SUBSCRIBED'} />}
          trail={[{ text: t.contacts.title, href: '/' }]}
          actions={
            <>
              <Copy value={found.id} label={t.anywhere.copyId} />
              <CopyCurl path={`/contacts/${id}`} />
              {may.contacts ? <MergeContact id={id} email={found.email} /> : null}
              {may.contacts ? (
                <DeleteButton
                  act={(api) => api.DELETE('/contacts/{id}', { params: { path: { id } } })}
                  changes={['contacts']}
                  done={t.contacts.deleted}
                  question={{
                    title: t.contacts.deleteTitle(found.email),
                    text: t.contacts.deleteHint,
                    yes: t.contacts.erase,
                  }}
                />
              ) : null}
            </>
          }
        >
          <Grid>
            <Grid.Col span={{ base: 12, md: 6 }}>
              <Stack>
                <AwaitedConfirmation id={id} subscribed={found.subscribed} />
                <Pause contact={found} />
                <EditContact contact={found} readOnly={!may.contacts} />
                <ChosenTopics id={id} />
                <InSegments id={id} />
                <InWorkflows id={id} />
              </Stack>
            </Grid.Col>
            <Grid.Col span={{ base: 12, md: 6 }}>
              <Stack>
                <Mails email={found.email} id={id} />
                <History id={id} />
              </Stack>
            </Grid.Col>
          </Grid>
        </Page>
      )}
    </Answer>
  )
}

function EditContact({ contact, readOnly }: { readonly contact: Contact; readonly readOnly: boolean }) {
  const t = useTexts()
  const formats = useFormats()
  const api = useApi()
  const { id, email, subscribed, leftBy, tracking, everyDays = null, data } = contact
  const texts = Object.fromEntries(Object.entries(data).map(([key, value]) => [key, editable(value, formats)]))
  const initial = { email, subscribed, tracking, everyDays, data: texts }
  const path = { params: { path: { id } } }
  const form = useForm({
    initial,
    async save({ data: edited, ...rest }) {
      const changed: Record<string, unknown> = {}
      for (const [key, text] of Object.entries(edited)) if (text !== texts[key]) changed[key] = typed(text, formats)
      // a field that was emptied or taken away is deleted
      for (const key of Object.keys(data)) if (!(key in edited) || edited[key] === '') changed[key] = null
      const saved = await answerOf(api.PATCH('/contacts/{id}', { ...path, body: { ...rest, data: changed } }))
      const before = Object.fromEntries(Object.keys(changed).map((key) => [key, data[key] ?? null]))
      // it is unknown whether the person would have left meanwhile; and the API stores no empty text
      const isLess = (subscribed && !rest.subscribed) || CONSENTS.indexOf(rest.tracking) > CONSENTS.indexOf(tracking)
      const isLost = Object.keys(changed).some((key) => data[key] === '' || (key in data && data[key] === null))
      return { saved, undo: isLess || isLost ? undefined : { email, subscribed, tracking, everyDays, data: before } }
    },
    changes: ['contacts'],
    done: t.contacts.changed,
    undo: ({ saved, undo }) =>
      undo &&
      (async (client) => {
        const now = await answerOf(client.GET('/contacts/{id}', path))
        if (now.updatedAt !== saved.updatedAt) throw new Error(t.anywhere.changedSince)
        const answer = await client.PATCH('/contacts/{id}', { ...path, body: undo })
        if (answer.data) form.reset(initial)
        return answer
      }),
  })
  return (
    <Paper withBorder p="md">
      <FormBox form={form} readOnly={readOnly}>
        <TextInput label={t.contacts.address} type="email" readOnly={readOnly} {...form.text('email')} />
        <Switch
          label={t.contacts.subscribed}
          description={[leftBy && t.contacts.leftBy[leftBy], t.contacts.unsubscribeHint].filter(Boolean).join(' ')}
          disabled={readOnly}
          {...form.check('subscribed')}
        />
        <Select
          label={t.contacts.consent}
          data={CONSENTS.map((value) => ({ value, label: t.contacts.consents[value] }))}
          allowDeselect={false}
          disabled={readOnly}
          value={form.values.tracking}
          onChange={(value) => value && form.set('tracking', value as Contact['tracking'])}
          error={form.errorOf('tracking')}
        />
        <NumberInput
          label={t.contacts.everyDays}
          description={t.contacts.everyDaysHint}
          min={1}
          max={366}
          allowDecimal={false}
          readOnly={readOnly}
          value={form.values.everyDays ?? ''}
          onChange={(days) => form.set('everyDays', days === '' ? null : Number(days))}
          error={form.errorOf('everyDays')}
        />
        <DataFields
          values={form.values.data}
          onChange={(values) => form.set('data', values)}
          readOnly={readOnly}
          errorOf={(key) => form.errorOf(`data.${key}`)}
        />
      </FormBox>
    </Paper>
  )
}

function Mails({ id }: { readonly email: string; readonly id: string }) {
  const t = useTexts()
  const project = useProjectId()
  const mails = useAsk(['emails', 'of', id], (api, signal) =>
    api.GET('/emails', { params: { query: { contactId: id, limit: 10 } }, signal }),
  )
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4" mb="sm">
        {t.contacts.mails}
      </Title>
      <Answer of={mails}>
        {({ data }) =>
          data.length === 0 ? (
            <Text c="dimmed">{t.contacts.noMails}</Text>
          ) : (
            <Stack gap={6}>
              {data.map((mail) => (
                <Text size="sm" key={mail.id} component="div">
                  <Pill status={shownStatus(mail)} />{' '}
                  <Link href={toProject(project, `/mails/${mail.id}`)}>
                    {t.mails.sources[mail.about ?? mail.sourceType]}
                  </Link>{' '}
                  <Moment at={mail.createdAt} />
                </Text>
              ))}
            </Stack>
          )
        }
      </Answer>
    </Paper>
  )
}

function History({ id }: { readonly id: string }) {
  const t = useTexts()
  const activity = useAsk(['activity', 'of', id], (api, signal) =>
    api.GET('/activity', { params: { query: { contactId: id, limit: 30 } }, signal }),
  )
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4" mb="sm">
        {t.contacts.timeline}
      </Title>
      <Answer of={activity}>
        {({ data }) =>
          data.length === 0 ? (
            <Text c="dimmed">{t.contacts.noTimeline}</Text>
          ) : (
            <Timeline bulletSize={12} lineWidth={2}>
              {data.map((entry) => (
                <Timeline.Item key={entry.id}>
                  <ActivityText entry={entry} withContact={false} />
                </Timeline.Item>
              ))}
            </Timeline>
          )
        }
      </Answer>
    </Paper>
  )
}
