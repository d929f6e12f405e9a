import { Alert, Badge, Button, Checkbox, Group, Paper, Select, Stack, Text } from '@mantine/core'
import { IconPlugConnected } from '@tabler/icons-react'
import { useState } from 'react'
import { useSearch } from 'wouter'
import { type APPROVALS, INBOX_RIGHTS, type InboxRight } from '../../../core/ports/store/projects.ts'
import { useAct, useAsk } from '../api/ask.ts'
import { answerOf, type components } from '../api/client.ts'
import { type Project, ProjectScope, useApi, useProjectId } from '../api/project.tsx'
import { useSession } from '../api/session.tsx'
import { AgentFields } from '../parts/agent-fields.tsx'
import { Answer } from '../parts/answer.tsx'
import { FormBox, useForm } from '../parts/form.tsx'
import { Page } from '../parts/page.tsx'
import { BareFrame } from '../shell/bare-frame.tsx'
import { useTexts } from '../texts/texts.tsx'
import { type Asked, askedIn } from './asked.ts'

type Inboxes = { readonly data: readonly components['schemas']['Inbox'][] }

/** Asks whether a program may work in inboxes: by OAuth it sent the browser here, and gets it back with the answer. */
export default function Connect() {
  const t = useTexts()
  const { projects, user } = useSession()
  const request = new URLSearchParams(useSearch()).get('request') ?? ''
  const asked = askedIn(request)
  const [chosen, choose] = useState(projects[0]?.id)
  const project = projects.find(({ id }) => id === chosen)
  return (
    <BareFrame>
      <Page title={t.connect.title} narrow>
        {asked === undefined ? (
          <Alert color="red">{t.connect.broken}</Alert>
        ) : user.host !== null || project === undefined ? (
          <Alert color="yellow">{user.host === null ? t.connect.noProject : t.connect.ofHost}</Alert>
        ) : (
          <Paper withBorder p="lg">
            <Stack>
              <Who asked={asked} />
              {projects.length > 1 ? (
                <Select
                  label={t.connect.project}
                  data={projects.map(({ id, name }) => ({ value: id, label: name }))}
                  allowDeselect={false}
                  value={project.id}
                  onChange={(id) => choose(id ?? project.id)}
                />
              ) : (
                <Text>{t.connect.inProject(project.name)}</Text>
              )}
              <InProject key={project.id} project={project} asked={asked} request={request} />
            </Stack>
          </Paper>
        )}
      </Page>
    </BareFrame>
  )
}

/** The program as it calls itself: no one has verified it. */
function Who({ asked: { name, host } }: { readonly asked: Asked }) {
  const t = useTexts()
  return (
    <>
      <Group gap="xs">
        <IconPlugConnected size={20} aria-hidden />
        <Text fw={600} dir="auto" style={{ overflowWrap: 'anywhere' }}>
          {name}
        </Text>
        <Badge color="yellow" variant="light">
          {t.connect.unverified}
        </Badge>
      </Group>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {t.connect.sentence(host)}
      </Text>
      <Alert color="yellow">{t.connect.warning}</Alert>
    </>
  )
}

interface Choice {
  readonly project: Project
  readonly asked: Asked
  readonly request: string
}

function InProject({ project, ...asked }: Choice) {
  return (
    <ProjectScope project={project}>
      <Decide {...asked} />
    </ProjectScope>
  )
}

function Decide({ asked, request }: Omit<Choice, 'project'>) {
  const t = useTexts()
  const api = useApi()
  const id = useProjectId()
  const inboxes = useAsk<Inboxes>(['inboxes', 'to-connect'], (ask, signal) =>
    ask.GET('/inboxes', { params: { query: { limit: 100 } }, signal }),
  )
  const goOn = ({ redirectTo }: { readonly redirectTo: string }) => window.location.assign(redirectTo)
  const form = useForm({
    initial: {
      inboxIds: [] as string[],
      rights: INBOX_RIGHTS.filter((right) => asked.rights.includes(right)) as InboxRight[],
      approval: 'always' as (typeof APPROVALS)[number],
    },
    save: ({ inboxIds, rights, approval }) =>
      answerOf(
        api.POST('/projects/{id}/grants', {
          params: { path: { id } },
          body: { request, allowed: true, inboxIds, rights, approval },
        }),
      ),
    guard: false,
    onSaved: goOn,
  })
  const refuse = useAct(
    (ask) => ask.POST('/projects/{id}/grants', { params: { path: { id } }, body: { request, allowed: false } }),
    { changes: [], onDone: goOn },
  )
  return (
    <Answer of={inboxes}>
      {({ data }) => (
        <FormBox form={form} submit={t.connect.allow} shown={['inboxIds', 'rights', 'approval']}>
          {data.length === 0 ? <Text size="sm">{t.connect.noInboxes}</Text> : null}
          <Checkbox.Group
            label={t.settings.agent.inboxes}
            description={t.settings.agent.inboxesHint}
            value={form.values.inboxIds}
            onChange={(chosen) => form.set('inboxIds', chosen)}
            error={form.errorOf('inboxIds')}
          >
            <Stack gap="xs" mt="xs">
              {data.map((inbox) => (
                <Checkbox key={inbox.id} value={inbox.id} label={`${inbox.name} (${inbox.address})`} />
              ))}
            </Stack>
          </Checkbox.Group>
          <AgentFields
            form={form}
            label={t.connect.rights}
            offered={INBOX_RIGHTS.filter((right) => right === 'read' || asked.rights.includes(right))}
          />
          <Text size="sm" c="dimmed">
            {t.connect.later}
          </Text>
          <Button variant="default" loading={refuse.isPending} onClick={() => refuse.mutate()} w="fit-content">
            {t.connect.refuse}
          </Button>
        </FormBox>
      )}
    </Answer>
  )
}
