import { Button, Group, Menu, Paper, Popover, Stack, Tabs, Text, TextInput } from '@mantine/core'
import { IconArrowLeft, IconCopy, IconDots, IconHistory, IconSend, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { withPreheader } from '../../../core/mail/render/written-body.ts'
import { useAct, useAsk } from '../api/ask.ts'
import { answerOf, type components } from '../api/client.ts'
import { useMay, useProject } from '../api/project.tsx'
import { useSession } from '../api/session.tsx'
import { useAddress } from '../parts/address.ts'
import { Answer } from '../parts/answer.tsx'
import { useConfirm } from '../parts/confirm.tsx'
import { ContactPicker } from '../parts/contact-picker.tsx'
import { Copy, CopyCurl } from '../parts/copy.tsx'
import { copyName } from '../parts/copy-name.ts'
import { DANGER } from '../parts/danger.ts'
import { useFormats } from '../parts/formats.ts'
import { usePreviewedContact } from '../parts/mail-preview.tsx'
import { Page } from '../parts/page.tsx'
import { Pill } from '../parts/pill.tsx'
import { SimulatorOffer } from '../parts/simulator-offer.tsx'
import { Together } from '../parts/together/together.tsx'
import { forgetUnsaved } from '../parts/unsaved.tsx'
import { toProject } from '../shell/to-app.ts'
import { useTexts } from '../texts/texts.tsx'
import { EditTemplate } from './edit-template.tsx'
import { VersionsPanel } from './versions-panel.tsx'

type Template = components['schemas']['Template']

/** One template: the draft of its mail and its settings, what it was, where it is used. */
export function TemplatePage({ id }: { readonly id: string }) {
  const t = useTexts()
  const { values, change } = useAddress()
  const template = useAsk<Template>(['templates', id], (api, signal) =>
    api.GET('/templates/{id}', { params: { path: { id } }, signal }),
  )
  const tab = values.tab ?? 'content'
  const [round, setRound] = useState(0)
  const [isLookingBack, lookBack] = useState(false)
  return (
    <Answer of={template} lines={10}>
      {(found) => (
        <Page
          title={found.name}
          beside={<Pill status={found.type} />}
          trail={[{ text: t.templates.title, href: '/' }]}
          actions={<Actions template={found} onVersions={() => lookBack(true)} />}
          compact
        >
          <Together kind="templates" id={id} version={`${found.version}.${found.draft?.revision ?? 0}`} />
          {values.workflow === undefined ? null : <BackToWorkflow id={values.workflow} />}
          <Tabs value={tab} onChange={(chosen) => change({ tab: chosen ?? undefined })} keepMounted={false}>
            <Tabs.List mb="sm">
              <Tabs.Tab value="content">{t.campaigns.steps.content}</Tabs.Tab>
              <Tabs.Tab value="usage">{t.templates.usage}</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="content">
              <EditTemplate key={round} template={found} onAnew={() => setRound(round + 1)} />
            </Tabs.Panel>
            <Tabs.Panel value="usage">
              <Usage id={id} />
            </Tabs.Panel>
          </Tabs>
          <VersionsPanel
            template={found}
            opened={isLookingBack}
            onClose={() => lookBack(false)}
            onRestored={() => {
              lookBack(false)
              setRound(round + 1)
            }}
          />
        </Page>
      )}
    </Answer>
  )
}

/** Leads back to the workflow whose step sends the mail. */
function BackToWorkflow({ id }: { readonly id: string }) {
  const t = useTexts()
  const project = useProject()
  return (
    <Button
      component={Link}
      href={toProject(project.id, `/workflows/${encodeURIComponent(id)}`)}
      variant="light"
      size="compact-sm"
      mb="sm"
      leftSection={<IconArrowLeft size={14} />}
    >
      {t.workflows.backToWorkflow}
    </Button>
  )
}

function Usage({ id }: { readonly id: string }) {
  const t = useTexts()
  const formats = useFormats()
  const project = useProject()
  const usage = useAsk(['templates', id, 'usage'], (api, signal) =>
    api.GET('/templates/{id}/usage', { params: { path: { id } }, signal }),
  )
  return (
    <Answer of={usage}>
      {({ campaigns, workflows, emailsSent }) => (
        <Paper withBorder p="md">
          <Stack gap="xs">
            {campaigns.length + workflows.length === 0 ? <Text>{t.templates.unused}</Text> : null}
            {campaigns.map((each) => (
              <Link key={each.id} href={toProject(project.id, `/campaigns/${each.id}`)}>
                {t.shell.pages.campaigns}: {each.name}
              </Link>
            ))}
            {workflows.map((each) => (
              <Link key={each.stepId} href={toProject(project.id, `/workflows/${each.id}`)}>
                {t.shell.pages.workflows}: {each.name}
              </Link>
            ))}
            <Text size="sm" c="dimmed">
              {t.templates.sentWith(formats.number(emailsSent))}
            </Text>
          </Stack>
        </Paper>
      )}
    </Answer>
  )
}

function Actions({ template, onVersions }: { readonly template: Template; readonly onVersions: () => void }) {
  const t = useTexts()
  const may = useMay()
  const project = useProject()
  const { user } = useSession()
  const confirm = useConfirm()
  const { id, name, from, draft } = template
  const [, navigate] = useLocation()
  const [to, setTo] = useState<string | undefined>()
  const path = { params: { path: { id } } }
  const duplicate = useAct(
    (api) => api.POST('/templates/{id}/duplicate', { ...path, body: { name: copyName(t, name) } }),
    {
      changes: ['templates'],
      done: t.templates.duplicated,
      onDone: (copy) => navigate(`/${copy.id}`),
    },
  )
  const remove = useAct((api) => api.DELETE('/templates/{id}', path), {
    changes: ['templates'],
    done: t.templates.deleted,
    onDone() {
      forgetUnsaved()
      navigate('/')
    },
  })
  const sender = from ?? project.from?.email
  const contact = usePreviewedContact()
  const test = useAct(
    async (api, email: string) => {
      const query = { search: email, subscribed: true, limit: 10 }
      const known = template.type === 'MARKETING' && (await answerOf(api.GET('/contacts', { params: { query } }))).data
      const isRead = !known || known.some((each) => each.email.toLowerCase() === email.trim().toLowerCase())
      const person =
        contact.id === undefined
          ? undefined
          : await answerOf(api.GET('/contacts/{id}', { params: { path: { id: contact.id } } }))
      // for this mail alone: the fields of the address itself stay as they are
      const fields = Object.entries(person?.data ?? {})
      const data = Object.fromEntries(fields.map(([name, value]) => [name, { value, persistent: false }]))
      const mail = { to: email, data, ...(sender ? { from: sender } : {}) }
      return api.POST('/v1/send', { body: { ...mail, ...(isRead ? { template: id } : partsOf(template)) } })
    },
    {
      changes: ['emails'],
      done: (_, email) => t.templates.testSent(email),
      onDone: () => setTo(undefined),
    },
  )
  const ask = async () => {
    const question = { title: t.templates.deleteTitle(name), text: t.templates.deleteHint, yes: t.templates.delete }
    if (await confirm({ ...question, grave: true })) remove.mutate()
  }
  return (
    <Group gap="xs">
      <Button variant="default" leftSection={<IconHistory size={16} />} onClick={onVersions}>
        {t.templates.versions}
      </Button>
      <Popover
        opened={to !== undefined}
        onDismiss={() => setTo(undefined)}
        position="bottom-end"
        trapFocus
        withRoles={false}
      >
        <Popover.Target>
          <Button
            variant="default"
            leftSection={<IconSend size={16} />}
            aria-expanded={to !== undefined}
            onClick={() => setTo(to === undefined ? user.email : undefined)}
          >
            {t.templates.test}
          </Button>
        </Popover.Target>
        <Popover.Dropdown>
          <form
            onSubmit={(event) => {
              event.preventDefault()
              test.mutate(to ?? '')
            }}
          >
            <Stack gap="xs" w={260}>
              <TextInput
                type="email"
                label={t.templates.testTo}
                value={to ?? ''}
                onChange={({ currentTarget }) => setTo(currentTarget.value)}
                data-autofocus
              />
              <SimulatorOffer onChoose={setTo} />
              <ContactPicker label={t.preview.filledFor} value={contact.id} onChange={contact.choose} inPopover />
              {draft ? (
                <Text size="xs" c="dimmed">
                  {t.templates.testIsPublished}
                </Text>
              ) : null}
              <Button type="submit" loading={test.isPending}>
                {t.campaigns.steps.send}
              </Button>
            </Stack>
          </form>
        </Popover.Dropdown>
      </Popover>
      <Copy value={id} label={t.anywhere.copyId} />
      <CopyCurl path={`/templates/${id}`} />
      {may.templates ? (
        <Menu position="bottom-end">
          <Menu.Target>
            <Button variant="default" size="xs" px="xs" aria-label={t.anywhere.more}>
              <IconDots size={16} />
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item
              component={Link}
              href={toProject(project.id, `/campaigns/new?template=${id}`)}
              leftSection={<IconSend size={14} />}
            >
              {t.templates.useInCampaign}
            </Menu.Item>
            <Menu.Item leftSection={<IconCopy size={14} />} onClick={() => duplicate.mutate()}>
              {t.templates.duplicate}
            </Menu.Item>
            <Menu.Item color={DANGER} leftSection={<IconTrash size={14} />} onClick={() => void ask()}>
              {t.templates.delete}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      ) : null}
    </Group>
  )
}

/**
 * A marketing mail for people who try it and do not get marketing: such a template goes to subscribed contacts alone. Its
 * parts go without it, and without the way out that is added where it names none.
 */
function partsOf({ subject, body, preheader, layoutId, fromName, replyTo }: Template) {
  return {
    subject,
    body: withPreheader(body, preheader || undefined),
    ...(layoutId ? { layoutId } : {}),
    ...(fromName ? { name: fromName } : {}),
    ...(replyTo ? { reply: replyTo } : {}),
  }
}
