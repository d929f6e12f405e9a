import { Badge, Button, Group, Paper, Stack, Tabs, Text, TextInput, Title } from '@mantine/core'
import { IconArrowRight } from '@tabler/icons-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useAct, useAsk } from '../api/ask.ts'
import { useProject } from '../api/project.tsx'
import { useSession } from '../api/session.tsx'
import { Answer } from '../parts/answer.tsx'
import { ContactPicker } from '../parts/contact-picker.tsx'
import { useFormats } from '../parts/formats.ts'
import { useCure } from '../parts/last-question.tsx'
import { MailFindings, useMailCheck, useMailErrors } from '../parts/mail-check.tsx'
import { MailFrame } from '../parts/mail-frame.tsx'
import { usePreviewedContact } from '../parts/mail-preview.tsx'
import { SimulatorOffer } from '../parts/simulator-offer.tsx'
import { useTexts } from '../texts/texts.tsx'
import { ArchivedTopic } from './archived-topic.tsx'
import { type Around, namedBy, ownFindings } from './findings.ts'
import { type Campaign, usePreview, type VariantMail, type VariantName, variantMails } from './queries.ts'
import { SeedTests } from './seed-tests.tsx'

/** How many get the mail, what is worth mending, the mail as its first recipient gets it, and a test; of each variant. */
export function CheckStep({
  campaign,
  variant,
  onVariant,
  onDone,
}: {
  readonly campaign: Campaign
  /** The name of the variant that is shown. */
  readonly variant: string
  readonly onVariant: (name: VariantName) => void
  /** Goes on to sending. */
  readonly onDone: () => void
}) {
  const t = useTexts()
  const mails = variantMails(campaign)
  const [first] = mails
  const mail = mails.find(({ name }) => name === variant) ?? first
  const preview = usePreview(campaign.id, campaign.updatedAt, mail?.name)
  if (mail === undefined) return null
  const choice = mails.length === 1 ? null : <VariantChoice mails={mails} open={mail.name} onOpen={onVariant} />
  // the mail of another variant is shown until this one is there
  const isOther = preview.isPlaceholderData
  return (
    <Stack>
      {/* where this variant cannot be shown, another one can still be chosen */}
      {preview.data === undefined ? choice : null}
      <Answer of={preview}>
        {(found) => (
          <>
            <AudienceCount {...found} isLater={campaign.scheduledFor !== null} />
            <ArchivedTopic campaign={campaign} />
            {choice}
            <Findings campaign={campaign} mail={mail} preview={found} />
            <Paper withBorder p="md" aria-busy={isOther} opacity={isOther ? 0.5 : undefined}>
              <Text size="sm" mb="xs">
                <Text span c="dimmed">
                  {t.preview.subject}:{' '}
                </Text>
                {found.sample.subject}
              </Text>
              <MailFrame html={found.sample.html} title={t.preview.title} pictures />
            </Paper>
          </>
        )}
      </Answer>
      <SeedTests id={campaign.id} variant={mails.length === 1 ? undefined : mail.name} />
      <Group justify="space-between" align="flex-end">
        <TestMail id={campaign.id} variant={mails.length === 1 ? undefined : mail.name} />
        <Button rightSection={<IconArrowRight size={16} />} onClick={onDone}>
          {t.campaigns.goOn(t.campaigns.steps.send)}
        </Button>
      </Group>
    </Stack>
  )
}

/** The number that is mailed, and who is left out and why. */
export function AudienceCount({
  totalRecipients,
  skipped,
  isLater,
}: {
  readonly totalRecipients: number
  readonly skipped: {
    readonly unsubscribed: number
    readonly suppressed: number
    readonly paused: number
    readonly topic: number
  }
  /** Whether the mail goes out at a time that is to come: its contacts are chosen then. */
  readonly isLater: boolean
}) {
  const t = useTexts()
  const formats = useFormats()
  const title =
    totalRecipients === 0
      ? t.campaigns.countNone
      : totalRecipients === 1
        ? t.campaigns.countOne
        : t.campaigns.count(formats.number(totalRecipients))
  const left = [
    ...(skipped.unsubscribed > 0 ? [t.campaigns.leftUnsubscribed(formats.number(skipped.unsubscribed))] : []),
    ...(skipped.suppressed > 0 ? [t.campaigns.leftSuppressed(formats.number(skipped.suppressed))] : []),
    ...(skipped.paused > 0 ? [t.campaigns.leftPaused(formats.number(skipped.paused))] : []),
    ...(skipped.topic > 0 ? [t.campaigns.leftTopic(formats.number(skipped.topic))] : []),
  ]
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h3">
        {title}
      </Title>
      {left.length === 0 ? null : (
        <Text size="sm">
          {t.campaigns.leftOut}: {left.join(', ')}
        </Text>
      )}
      <Text size="sm" c="dimmed">
        {isLater ? t.campaigns.countLaterHint : t.campaigns.countHint}
      </Text>
    </Paper>
  )
}

/** Chooses the variant that is checked. Those with errors are marked, so that none is sent unseen. */
function VariantChoice({
  mails,
  open,
  onOpen,
}: {
  readonly mails: readonly VariantMail[]
  readonly open: VariantName
  readonly onOpen: (name: VariantName) => void
}) {
  const t = useTexts()
  const errors = useMailErrors(mails)
  return (
    <Tabs value={open} onChange={(name) => onOpen((name ?? 'A') as VariantName)} keepMounted={false}>
      <Tabs.List aria-label={t.variants.title}>
        {mails.map(({ name }, at) => {
          const found = errors[at] ?? 0
          return (
            <Tabs.Tab key={name} value={name}>
              <Group gap={6} wrap="nowrap">
                {t.variants.variant(name)}
                {found === 0 ? null : (
                  <Badge color="red" size="sm" variant="light" aria-label={t.variants.check.errors(found)}>
                    {found}
                  </Badge>
                )}
              </Group>
            </Tabs.Tab>
          )
        })}
      </Tabs.List>
    </Tabs>
  )
}

function Findings({
  campaign,
  mail,
  preview,
}: {
  readonly campaign: Campaign
  readonly mail: VariantMail
  readonly preview: Around['preview']
}) {
  const t = useTexts()
  const project = useProject()
  const [, navigate] = useLocation()
  const cureOf = useCure()
  const check = useMailCheck(mail)
  const domains = useAsk(['domains'], (api, signal) =>
    api.GET('/domains/project/{projectId}', { params: { path: { projectId: project.id } }, signal }),
  )
  const topics = useAsk(['topics', 'list'], (api, signal) => api.GET('/topics', { signal }))
  const around = { mail, ...namedBy(campaign, project), preview, domains: domains.data, topics: topics.data?.data }
  const place = `/campaigns/${campaign.id}`
  return (
    <MailFindings
      check={check}
      own={ownFindings(around, t)}
      onFix={(field) => {
        const href = cureOf(field, { content: place, audience: `${place}?step=audience` })
        if (href !== undefined) navigate(href)
      }}
    />
  )
}

function TestMail({ id, variant }: { readonly id: string; readonly variant: VariantName | undefined }) {
  const t = useTexts()
  const { user } = useSession()
  const [email, setEmail] = useState(user.email)
  const contact = usePreviewedContact()
  const test = useAct(
    (api, to: string) =>
      api.POST('/campaigns/{id}/test', {
        params: { path: { id } },
        body: {
          email: to,
          ...(variant === undefined ? {} : { variant }),
          ...(contact.id === undefined ? {} : { contactId: contact.id }),
        },
      }),
    {
      changes: ['emails'],
      done: (_, to) => (variant === undefined ? t.campaigns.testSent(to) : t.variants.check.testSent(variant, to)),
    },
  )
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        test.mutate(email)
      }}
    >
      <Group align="flex-end" gap="xs">
        <TextInput
          label={t.campaigns.testTo}
          type="email"
          value={email}
          onChange={({ currentTarget }) => setEmail(currentTarget.value)}
          w={240}
        />
        <ContactPicker label={t.preview.filledFor} value={contact.id} onChange={contact.choose} />
        <Button type="submit" variant="default" loading={test.isPending}>
          {variant === undefined ? t.campaigns.test : t.variants.check.test(variant)}
        </Button>
      </Group>
      <SimulatorOffer onChoose={setEmail} />
    </form>
  )
}
