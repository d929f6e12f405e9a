import { Button, Paper, Select, TagsInput, Text, TextInput, Switch as Toggle } from '@mantine/core'
import { IconPlus, IconWebhook } from '@tabler/icons-react'
import { useState } from 'react'
import { Route, Switch } from 'wouter'
import { useAct, useAsk } from '../api/ask.ts'
import { answerOf, type components } from '../api/client.ts'
import { useApi, useMay } from '../api/project.tsx'
import { useAddress } from '../parts/address.ts'
import { Answer } from '../parts/answer.tsx'
import { useConfirm } from '../parts/confirm.tsx'
import { Copy, CopyCurl } from '../parts/copy.tsx'
import { SidePanel } from '../parts/drawer.tsx'
import { Empty } from '../parts/empty.tsx'
import { FormBox, useForm } from '../parts/form.tsx'
import { Moment } from '../parts/moment.tsx'
import { useNotices } from '../parts/notices.ts'
import { DeleteButton } from '../parts/noun-actions.tsx'
import { Page } from '../parts/page.tsx'
import { Pill } from '../parts/pill.tsx'
import { DataTable } from '../parts/table.tsx'
import { useTexts } from '../texts/texts.tsx'
import { DIALECTS } from './dialects.ts'
import { RequestPage } from './request-page.tsx'
import { Requests } from './requests.tsx'

type Webhook = components['schemas']['Webhook']

/** The events of a new webhook. */
const ALL_OF_MAIL = ['email.*']

/** How long a test waits for its result, in seconds. */
const WAITING = { wait: 20 }

/** Addresses that are called at events, and the requests made to them. */
export default function Webhooks() {
  return (
    <Switch>
      <Route path="/">
        <WebhookList />
      </Route>
      <Route path="/requests/:id">{({ id }) => <RequestPage key={id} id={id} />}</Route>
      <Route path="/:id">{({ id }) => <WebhookPage key={id} id={id} />}</Route>
    </Switch>
  )
}

function WebhookList() {
  const t = useTexts()
  const may = useMay()
  const { values, change } = useAddress()
  const webhooks = useAsk(['webhooks', 'list'], (api, signal) => api.GET('/webhooks', { signal }))
  const add = may.webhooks ? (
    <Button leftSection={<IconPlus size={16} />} onClick={() => change({ new: '1' })}>
      {t.webhooks.new}
    </Button>
  ) : null
  return (
    <Page
      title={t.webhooks.title}
      hint={t.webhooks.hint}
      actions={
        <>
          <CopyCurl path="/webhooks" />
          {add}
        </>
      }
    >
      <Answer of={webhooks}>
        {(found) => (
          <DataTable
            name="webhooks"
            label={t.webhooks.title}
            rows={found}
            href={({ id }) => `/${id}`}
            rowName={({ url }) => url}
            columns={[
              { key: 'url', title: t.webhooks.url, cell: ({ url }) => url },
              { key: 'events', title: t.webhooks.events, cell: ({ events }) => events.join(', ') },
              {
                key: 'dialect',
                title: t.webhooks.dialect,
                hidden: found.every(({ dialect }) => dialect === undefined),
                cell: ({ dialect = '' }) => DIALECTS[dialect]?.name ?? (dialect || t.webhooks.ownDialect),
              },
              {
                key: 'enabled',
                title: t.anywhere.status,
                cell: ({ enabled, pausedReason }) => (
                  <Pill status={pausedReason ? 'PAUSED' : enabled ? 'ENABLED' : 'DISABLED'} />
                ),
              },
              { key: 'createdAt', title: t.anywhere.created, cell: ({ createdAt }) => <Moment at={createdAt} /> },
            ]}
            empty={<Empty icon={<IconWebhook />} title={t.webhooks.empty} hint={t.webhooks.emptyHint} action={add} />}
          />
        )}
      </Answer>
      {may.webhooks ? <Secret /> : null}
      <Requests />
      <SidePanel title={t.webhooks.new} opened={values.new === '1'} onClose={() => change({ new: undefined })}>
        <EditWebhook onDone={() => change({ new: undefined })} />
      </SidePanel>
    </Page>
  )
}

function WebhookPage({ id }: { readonly id: string }) {
  const t = useTexts()
  const may = useMay()
  const path = { params: { path: { id } } }
  const webhook = useAsk<Webhook>(['webhooks', id], (api, signal) => api.GET('/webhooks/{id}', { ...path, signal }))
  const test = useTest()
  return (
    <Answer of={webhook}>
      {(found) => (
        <Page
          title={found.url}
          beside={<Pill status={found.pausedReason ? 'PAUSED' : found.enabled ? 'ENABLED' : 'DISABLED'} />}
          hint={found.pausedReason === undefined ? undefined : t.webhooks.paused}
          trail={[{ text: t.webhooks.title, href: '/' }]}
          actions={
            may.webhooks ? (
              <>
                <Button variant="default" loading={test.isPending} onClick={() => test.mutate(id)}>
                  {t.webhooks.test}
                </Button>
                <DeleteButton
                  act={(api) => api.DELETE('/webhooks/{id}', path)}
                  changes={['webhooks']}
                  done={t.webhooks.deleted}
                  question={{ title: t.webhooks.deleteTitle(found.url), yes: t.webhooks.delete }}
                />
              </>
            ) : null
          }
        >
          {may.webhooks ? (
            <Paper withBorder p="lg" maw={720}>
              <EditWebhook webhook={found} />
            </Paper>
          ) : null}
          <Requests endpoint={id} />
        </Page>
      )}
    </Answer>
  )
}

/** Sends a test event to an endpoint and reports the result, with the reason when it failed. */
function useTest() {
  const t = useTexts()
  const notices = useNotices()
  return useAct((api, id: string) => api.POST('/webhooks/{id}/test', { params: { path: { id }, query: WAITING } }), {
    changes: ['webhooks'],
    onDone({ status, responseStatus, error }) {
      if (status === 'SUCCEEDED') notices.done(t.webhooks.testArrived(responseStatus ?? 0))
      else notices.refused(new Error(t.webhooks.testFailed(error ? t.reasons(error) : t.webhooks.testWaits)))
    },
  })
}

function EditWebhook({ webhook, onDone }: { readonly webhook?: Webhook; readonly onDone?: () => void }) {
  const t = useTexts()
  const api = useApi()
  const test = useTest()
  const form = useForm({
    initial: {
      url: webhook?.url ?? '',
      events: webhook ? [...webhook.events] : ALL_OF_MAIL,
      dialect: webhook?.dialect ?? '',
      description: webhook?.description ?? '',
      enabled: webhook?.enabled ?? true,
    },
    save: ({ dialect, ...body }) =>
      webhook
        ? answerOf(api.PATCH('/webhooks/{id}', { params: { path: { id: webhook.id } }, body }))
        : answerOf(api.POST('/webhooks', { body: { ...body, dialect: dialect || null } })),
    changes: ['webhooks'],
    done: webhook ? t.webhooks.saved : t.webhooks.made,
    onSaved({ id, enabled }) {
      onDone?.()
      if (enabled) test.mutate(id)
    },
  })
  const { dialect } = form.values
  const ofDialect = dialect === '' ? undefined : DIALECTS[dialect]
  return (
    <FormBox form={form} always={webhook === undefined} onCancel={onDone}>
      <TextInput label={t.webhooks.url} description={t.webhooks.urlHint} type="url" required {...form.text('url')} />
      <Select
        label={t.webhooks.dialect}
        description={webhook === undefined ? t.webhooks.dialectHint : t.webhooks.dialectStays}
        data={[
          { value: '', label: t.webhooks.ownDialect },
          ...Object.entries(DIALECTS).map(([value, { name }]) => ({ value, label: name })),
        ]}
        value={dialect}
        // events of one form mean nothing in another
        onChange={(chosen) =>
          form.setAll({ dialect: chosen ?? '', events: [...(DIALECTS[chosen ?? '']?.events ?? ALL_OF_MAIL)] })
        }
        allowDeselect={false}
        disabled={webhook !== undefined}
        error={form.errorOf('dialect')}
      />
      <TagsInput
        label={t.webhooks.events}
        description={ofDialect === undefined ? t.webhooks.eventsHint : t.webhooks.eventsOf(ofDialect.name)}
        data={ofDialect === undefined ? [] : [...ofDialect.events]}
        {...form.field('events')}
      />
      <TextInput label={t.webhooks.description} {...form.text('description')} />
      <Toggle label={t.webhooks.enabled} {...form.check('enabled')} />
    </FormBox>
  )
}

function Secret() {
  const t = useTexts()
  const confirm = useConfirm()
  const [isShown, setShown] = useState(false)
  const secret = useAsk(['webhooks', 'secret'], (api, signal) => api.GET('/webhooks/secret', { signal }), {
    enabled: isShown,
  })
  const rotate = useAct((api) => api.POST('/webhooks/secret/rotate'), {
    changes: ['webhooks'],
    done: t.webhooks.rotated,
    onDone: () => setShown(true),
  })
  const ask = async () => {
    if (await confirm({ title: t.webhooks.rotateTitle, text: t.webhooks.rotateHint, yes: t.webhooks.rotate }))
      rotate.mutate()
  }
  return (
    <Paper withBorder p="md">
      <Text fw={600}>{t.webhooks.secret}</Text>
      <Text size="sm" c="dimmed" mb="xs">
        {t.webhooks.secretHint}
      </Text>
      {secret.data && isShown ? (
        <Text ff="monospace" size="sm" mb="xs">
          {secret.data.secret} <Copy value={secret.data.secret} />
        </Text>
      ) : (
        <Button size="xs" variant="default" mr="xs" onClick={() => setShown(true)}>
          {t.webhooks.showSecret}
        </Button>
      )}
      <Button size="xs" variant="default" onClick={() => void ask()}>
        {t.webhooks.rotate}
      </Button>
    </Paper>
  )
}
