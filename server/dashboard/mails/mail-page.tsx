import {
  Alert,
  Anchor,
  Box,
  Button,
  Grid,
  Group,
  Paper,
  SegmentedControl,
  Stack,
  Text,
  TextInput,
  Timeline,
  Title,
} from '@mantine/core'
import { IconClock, IconDownload, IconRefresh, IconX } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useAct, useAsk } from '../api/ask.ts'
import { API_URL, fileUrl } from '../api/base.ts'
import type { components } from '../api/client.ts'
import { useProjectId } from '../api/project.tsx'
import { useAdvice } from '../parts/advice.ts'
import { Answer } from '../parts/answer.tsx'
import { Breakable } from '../parts/breakable.tsx'
import { useConfirm } from '../parts/confirm.tsx'
import { Copy, CopyCurl } from '../parts/copy.tsx'
import { shownStatus } from '../parts/delivered.ts'
import { Facts } from '../parts/facts.tsx'
import { useFormats } from '../parts/formats.ts'
import { HeaderList } from '../parts/header-list.tsx'
import { MailFrame } from '../parts/mail-frame.tsx'
import { Moment } from '../parts/moment.tsx'
import { CampaignName, TemplateName } from '../parts/name-of.tsx'
import { Page } from '../parts/page.tsx'
import { Pill } from '../parts/pill.tsx'
import { downloadFrom } from '../parts/save-file.ts'
import { toProject } from '../shell/to-app.ts'
import { useTexts } from '../texts/texts.tsx'
import type { Texts } from '../texts/types.ts'
import classes from './mail-page.module.css'
import { Way } from './way.tsx'

type Mail = components['schemas']['EmailDetail']

/** States in which something may still happen by itself. */
const OPEN = ['QUEUED', 'SENDING', 'SENT']

/** One mail: what it says, what became of it, what each server said. */
export function MailPage({ id }: { readonly id: string }) {
  const t = useTexts()
  const mail = useAsk<Mail>(
    ['emails', id],
    (api, signal) => api.GET('/emails/{id}', { params: { path: { id } }, signal }),
    { every: (found) => (found && OPEN.includes(found.status) ? 3000 : false) },
  )
  return (
    <Answer of={mail} lines={10}>
      {(found) => (
        <Page
          title={found.subject ?? t.mails.noSubject}
          beside={<Pill status={shownStatus(found)} />}
          trail={[{ text: t.mails.title, href: '/' }]}
          actions={<Actions mail={found} />}
        >
          <WhyNot mail={found} />
          <Grid>
            <Grid.Col span={{ base: 12, lg: 8 }}>
              <Words mail={found} />
            </Grid.Col>
            <Grid.Col span={{ base: 12, lg: 4 }}>
              <Stack>
                <Details mail={found} />
                <Section title={t.mails.whatHappened}>
                  <Timeline bulletSize={12} lineWidth={2}>
                    {found.events.map(({ id: event, name, createdAt, data }) => (
                      <Timeline.Item key={event}>
                        <Text size="sm">
                          {data.toFolder === true ? t.home.figures.toFolder : (t.activity.types[name] ?? name)}
                        </Text>
                        {typeof data.link === 'string' ? <Text size="xs">{data.link}</Text> : null}
                        <Text size="xs" c="dimmed">
                          <Moment at={createdAt} />
                        </Text>
                      </Timeline.Item>
                    ))}
                  </Timeline>
                </Section>
                {found.sourceType === 'INBOUND' ? null : <Way id={found.id} />}
                <Section title={t.mails.said}>
                  {found.tries.length === 0 ? (
                    <Text size="sm" c="dimmed">
                      {t.mails.noTries}
                    </Text>
                  ) : (
                    <Stack gap="sm">
                      {found.tries.map((attempt, at) => (
                        <div key={at}>
                          <Text size="sm" fw={600}>
                            {t.mails.try(at + 1)} · <Moment at={attempt.at} />
                          </Text>
                          <pre className={classes.said}>{saidOf(attempt, t)}</pre>
                        </div>
                      ))}
                    </Stack>
                  )}
                </Section>
              </Stack>
            </Grid.Col>
          </Grid>
        </Page>
      )}
    </Answer>
  )
}

/** The facts about a try, a line each, and the conversation between the servers. */
function saidOf({ transport, outcome, reason, host, address, tls, answers }: Mail['tries'][number], t: Texts): string {
  const words = t.mails.tries
  const server = [host, address && `[${address}]`].filter(Boolean).join(' ')
  const lines = [
    [words.transport, transport],
    [words.server, server],
    [words.encryption, tls],
    [words.outcome, words.outcomes[outcome]],
    [words.reason, answers.length === 0 && reason ? t.reasons(reason) : undefined],
    ...answers.map(({ command, code, text }) => [command, [code, text].filter(Boolean).join(' ')] as const),
  ] as const
  return lines.flatMap(([name, value]) => (value ? [`${name}: ${value}`] : [])).join('\n')
}

/** Which question the trouble of a mail answers, by its state. */
const WHY: Readonly<Record<string, 'lost' | 'late'>> = {
  BOUNCED: 'lost',
  COMPLAINED: 'lost',
  DELIVERED: 'lost',
  OPENED: 'lost',
  CLICKED: 'lost',
  SENT: 'lost',
  QUEUED: 'late',
  SENDING: 'late',
}

function WhyNot({
  mail: { status, skipReason, error, errorMeaning, errorMeaningCodes, why },
}: {
  readonly mail: Mail
}) {
  const t = useTexts()
  const advice = useAdvice()
  if (skipReason === undefined && error === undefined) return null
  return (
    <Alert color={skipReason === undefined ? 'red' : 'yellow'} title={t.mails.whyNot[WHY[status] ?? 'never']}>
      {skipReason === undefined ? null : (t.mails.skip[skipReason] ?? skipReason)}
      {errorMeaning ? <Text size="sm">{advice(errorMeaning, errorMeaningCodes)}</Text> : null}
      {error === undefined ? null : <Text size="sm">{t.reasons(error)}</Text>}
      {why === null || error === undefined ? null : (
        <Text size="xs" c="dimmed">
          {t.mails.judged(t.mails.judgedBy[why.by], t.mails.judgedAs[why.kind], why.words)}
        </Text>
      )}
    </Alert>
  )
}

function Words({ mail }: { readonly mail: Mail }) {
  const t = useTexts()
  const [part, setPart] = useState(mail.body === null && mail.text !== null ? 'text' : 'html')
  if (mail.body === null && mail.text === null) {
    return <Alert color="gray">{mail.about === 'account' ? t.mails.ofAccount : t.mails.removed}</Alert>
  }
  return (
    <Stack>
      <SegmentedControl
        value={part}
        onChange={setPart}
        data={[
          { value: 'html', label: t.mails.html },
          { value: 'text', label: t.mails.text },
        ]}
        w="fit-content"
      />
      {part === 'html' && mail.body !== null ? (
        <MailFrame html={mail.body} title={mail.subject ?? t.mails.noSubject} />
      ) : (
        <pre className={classes.text}>{mail.text}</pre>
      )}
      <Headers id={mail.id} />
      {mail.attachments && mail.attachments.length > 0 ? (
        <Section title={t.mails.attachments}>
          {mail.attachments.map(({ filename, url, contentType }) => (
            <Anchor key={filename} href={fileUrl(url)} size="sm" display="block" download>
              {filename} ({contentType})
            </Anchor>
          ))}
        </Section>
      ) : null}
    </Stack>
  )
}

/** The header of the mail, which is made anew for it: once the user wants to see it. */
function Headers({ id }: { readonly id: string }) {
  const t = useTexts()
  const [isOpen, setOpen] = useState(false)
  const found = useAsk(
    ['emails', id, 'headers'],
    (api, signal) => api.GET('/emails/{id}/headers', { params: { path: { id } }, signal }),
    { enabled: isOpen },
  )
  return (
    <Paper withBorder p="md">
      <Group justify="space-between">
        <Title order={2} size="h4">
          {t.mails.headers}
        </Title>
        <Group gap="xs">
          {found.data === undefined ? null : (
            <Copy
              value={found.data.headers.map(({ name, value }) => `${name}: ${value}`).join('\n')}
              label={t.mails.copyHeaders}
            />
          )}
          <Button variant="default" size="xs" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? t.mails.hideHeaders : t.mails.showHeaders}
          </Button>
        </Group>
      </Group>
      {isOpen ? (
        <Answer of={found} lines={6}>
          {({ headers }) => (
            <Box mt="sm">
              <HeaderList headers={headers} />
            </Box>
          )}
        </Answer>
      ) : null}
    </Paper>
  )
}

function Details({ mail }: { readonly mail: Mail }) {
  const t = useTexts()
  const formats = useFormats()
  const project = useProjectId()
  const { contactId, campaignId, templateId } = mail
  return (
    <Section title={t.mails.details}>
      <Facts
        of={[
          [
            t.mails.to,
            contactId === null ? (
              mail.to
            ) : (
              <Link key="to" href={toProject(project, `/contacts/${contactId}`)}>
                <Breakable text={mail.to} />
              </Link>
            ),
          ],
          [t.mails.from, mail.fromName ? `${mail.fromName} <${mail.from}>` : mail.from],
          [t.mails.source, t.mails.sources[mail.about ?? mail.sourceType]],
          [
            t.mails.campaign,
            campaignId && (
              <Link key="campaign" href={toProject(project, `/campaigns/${campaignId}`)}>
                <CampaignName id={campaignId} />
              </Link>
            ),
          ],
          [
            t.mails.template,
            templateId && (
              <Link key="template" href={toProject(project, `/templates/${templateId}`)}>
                <TemplateName id={templateId} />
              </Link>
            ),
          ],
          [t.mails.due, mail.status === 'QUEUED' && mail.dueAt && <Moment key="due" at={mail.dueAt} />],
          [t.mails.sentAt, mail.sentAt && <Moment key="sent" at={mail.sentAt} />],
          [
            mail.toFolder ? t.home.figures.toFolder : t.mails.deliveredAt,
            mail.deliveredAt && <Moment key="delivered" at={mail.deliveredAt} />,
          ],
          [t.mails.opens, mail.opens > 0 && formats.number(mail.opens)],
          [t.mails.clicks, mail.clicks > 0 && formats.number(mail.clicks)],
          [
            t.mails.repliedAt,
            mail.repliedAt && (
              <Link key="replied" href={toProject(project, `/mails?inReplyTo=${mail.id}`)}>
                <Moment at={mail.repliedAt} />
              </Link>
            ),
          ],
          [
            t.mails.answers,
            mail.inReplyTo && (
              <Link key="answers" href={toProject(project, `/mails/${mail.inReplyTo}`)}>
                {t.mails.answered}
              </Link>
            ),
          ],
          [t.mails.transport, mail.transport],
          [
            t.mails.tags,
            Object.entries(mail.tags)
              .map(([name, value]) => `${name}=${value}`)
              .join(', '),
          ],
          [t.mails.proof, mail.spf && `SPF ${mail.spf}, DKIM ${mail.dkim}, DMARC ${mail.dmarc}`],
          [t.mails.messageId, mail.messageId],
        ]}
      />
    </Section>
  )
}

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4" mb="sm">
        {title}
      </Title>
      {children}
    </Paper>
  )
}

function Actions({ mail: { id, status, sourceType, about, dueAt } }: { readonly mail: Mail }) {
  const t = useTexts()
  const project = useProjectId()
  const confirm = useConfirm()
  const [, navigate] = useLocation()
  const [time, setTime] = useState<string | undefined>()
  const path = { params: { path: { id } } }
  const changes = ['emails']
  const resend = useAct((api) => api.POST('/emails/{id}/resend', path), {
    changes,
    done: t.mails.resent,
    onDone: (copy) => navigate(`/${copy.id}`),
  })
  const cancel = useAct((api) => api.POST('/emails/{id}/cancel', path), { changes, done: t.mails.cancelled })
  const redate = useAct((api, scheduledFor: string) => api.PATCH('/emails/{id}', { ...path, body: { scheduledFor } }), {
    changes,
    done: t.mails.redated,
    // in the past, the time before would mean now
    undo: () =>
      dueAt !== undefined && new Date(dueAt).getTime() > Date.now() + 60_000
        ? (api) => api.PATCH('/emails/{id}', { ...path, body: { scheduledFor: dueAt } })
        : undefined,
    onDone: () => setTime(undefined),
  })
  const ask = async () => {
    if (await confirm({ title: t.mails.cancelTitle, yes: t.mails.cancel, no: t.anywhere.back, grave: true }))
      cancel.mutate()
  }
  return (
    <Group gap="xs">
      {status === 'QUEUED' ? (
        time === undefined ? (
          <>
            <Button variant="default" leftSection={<IconClock size={16} />} onClick={() => setTime('')}>
              {t.mails.redate}
            </Button>
            <Button variant="default" leftSection={<IconX size={16} />} onClick={() => void ask()}>
              {t.mails.cancel}
            </Button>
          </>
        ) : (
          <>
            <TextInput
              type="datetime-local"
              aria-label={t.mails.newTime}
              value={time}
              onChange={({ currentTarget }) => setTime(currentTarget.value)}
            />
            <Button disabled={time === ''} onClick={() => redate.mutate(new Date(time).toISOString())}>
              {t.anywhere.save}
            </Button>
          </>
        )
      ) : null}
      {sourceType === 'INBOUND' || status === 'QUEUED' || about !== undefined ? null : (
        <Button
          variant="default"
          leftSection={<IconRefresh size={16} />}
          loading={resend.isPending}
          onClick={() => resend.mutate()}
        >
          {t.mails.resend}
        </Button>
      )}
      {about === 'account' ? null : (
        <Button
          variant="default"
          leftSection={<IconDownload size={16} />}
          onClick={() => void downloadFrom(new URL(`emails/${id}/raw`, API_URL), project, `${id}.eml`)}
        >
          {t.mails.raw}
        </Button>
      )}
      <Copy value={id} label={t.anywhere.copyId} />
      <CopyCurl path={`/emails/${id}`} />
    </Group>
  )
}
