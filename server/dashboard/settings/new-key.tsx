import { Checkbox, MultiSelect, NumberInput, Radio, Stack, Text, TextInput } from '@mantine/core'
import { useAsk } from '../api/ask.ts'
import { answerOf, type components } from '../api/client.ts'
import { useApi, useProjectId } from '../api/project.tsx'
import { AgentFields, type AgentForm } from '../parts/agent-fields.tsx'
import { FormBox, useForm } from '../parts/form.tsx'
import { useTexts } from '../texts/texts.tsx'

type Scope = components['schemas']['ApiKey']['scopes'][number]
type Grant = NonNullable<components['schemas']['ApiKey']['inbox']>
type Kind = 'secret' | 'test' | 'public' | 'agent'
type Inboxes = { readonly data: readonly components['schemas']['Inbox'][] }
const KINDS = ['secret', 'test', 'public', 'agent'] as const
/** The most that a test key may do. */
const OF_TESTS: Scope[] = ['send', 'read']
const SCOPES: readonly Scope[] = ['full', 'send', 'track', 'read']
const NAMES = {
  'inbox.inboxIds': 'inboxIds',
  'inbox.rights': 'rights',
  'inbox.approval': 'approval',
  'inbox.hourly': 'hourly',
} as const

/** Makes a key, which is shown once: for a program, for web pages, or for an agent that works in some inboxes. */
export function NewKey({
  onMade,
  onCancel,
}: {
  readonly onMade: (key: string) => void
  readonly onCancel: () => void
}) {
  const t = useTexts()
  const api = useApi()
  const project = useProjectId()
  const form = useForm({
    initial: {
      name: '',
      kind: 'secret' as Kind,
      scopes: ['full'] as Scope[],
      expiresAt: '',
      inboxIds: [] as string[],
      rights: ['read', 'draft', 'send'] as Grant['rights'][number][],
      approval: 'outside' as Grant['approval'],
      hourly: '' as number | string,
    },
    save: ({ name, kind, scopes, expiresAt, inboxIds, rights, approval, hourly }) =>
      answerOf(
        api.POST('/projects/{id}/keys', {
          params: { path: { id: project } },
          body: {
            name,
            kind: kind === 'public' ? 'public' : 'secret',
            scopes: kind === 'public' ? ['track'] : kind === 'agent' ? ['inbox'] : kind === 'test' ? OF_TESTS : scopes,
            ...(kind === 'test' ? { test: true } : {}),
            ...(kind === 'agent'
              ? { inbox: { inboxIds, rights, approval, ...(hourly === '' ? {} : { hourly: Number(hourly) }) } }
              : {}),
            ...(expiresAt === '' ? {} : { expiresAt: new Date(`${expiresAt}T23:59:59`).toISOString() }),
          },
        }),
      ),
    names: NAMES,
    changes: ['keys'],
    onSaved: ({ key }) => onMade(key),
  })
  return (
    <FormBox
      form={form}
      submit={t.anywhere.create}
      onCancel={onCancel}
      shown={[...Object.keys(form.values), ...Object.keys(NAMES)]}
    >
      <TextInput
        label={t.settings.keyName}
        description={t.settings.keyNameHint}
        required
        data-autofocus
        {...form.text('name')}
      />
      <Radio.Group
        label={t.settings.keyKind}
        value={form.values.kind}
        onChange={(chosen) => form.set('kind', KINDS.find((kind) => kind === chosen) ?? 'secret')}
        error={form.errorOf('kind')}
      >
        <Stack gap="xs" mt="xs">
          {KINDS.map((kind) => (
            <Radio key={kind} value={kind} label={t.settings.kinds[kind]} />
          ))}
        </Stack>
      </Radio.Group>
      {form.values.kind === 'secret' ? (
        <Checkbox.Group
          label={t.settings.scopes}
          value={form.values.scopes}
          onChange={(scopes) => form.set('scopes', scopes as Scope[])}
          error={form.errorOf('scopes')}
        >
          <Stack gap="xs" mt="xs">
            {SCOPES.map((scope) => (
              <Checkbox key={scope} value={scope} label={t.settings.scopeNames[scope]} />
            ))}
          </Stack>
        </Checkbox.Group>
      ) : null}
      {form.values.kind === 'agent' ? <InboxFields form={form} /> : null}
      <TextInput
        label={t.settings.expires}
        description={t.settings.expiresHint}
        type="date"
        {...form.text('expiresAt')}
      />
    </FormBox>
  )
}

/** The part of the form about an agent. */
interface InboxForm extends AgentForm {
  readonly values: AgentForm['values'] & { readonly inboxIds: string[]; readonly hourly: number | string }
  set<Field extends keyof InboxForm['values']>(field: Field, value: InboxForm['values'][Field]): void
}

function InboxFields({ form }: { readonly form: InboxForm }) {
  const t = useTexts()
  const { inboxIds, hourly } = form.values
  const inboxes = useAsk<Inboxes>(['inboxes', 'for-keys'], (api, signal) =>
    api.GET('/inboxes', { params: { query: { limit: 100 } }, signal }),
  )
  const known = inboxes.data?.data ?? []
  return (
    <>
      {inboxes.data !== undefined && known.length === 0 ? <Text size="sm">{t.settings.agent.noInboxes}</Text> : null}
      <MultiSelect
        label={t.settings.agent.inboxes}
        description={t.settings.agent.inboxesHint}
        required
        data={known.map(({ id, name, address }) => ({ value: id, label: `${name} (${address})` }))}
        value={inboxIds}
        onChange={(chosen) => form.set('inboxIds', chosen)}
        error={form.errorOf('inboxIds')}
      />
      <AgentFields form={form} label={t.settings.scopes} />
      <NumberInput
        label={t.settings.agent.hourly}
        description={t.settings.agent.hourlyHint}
        min={1}
        max={10_000}
        value={hourly}
        onChange={(chosen) => form.set('hourly', chosen)}
        error={form.errorOf('hourly')}
      />
    </>
  )
}
