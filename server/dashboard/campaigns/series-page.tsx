import { Alert, Anchor, Button, Menu, Paper, Stack, Tabs, Text, Title } from '@mantine/core'
import { IconPlayerPause, IconPlayerPlay, IconPlayerSkipForward } from '@tabler/icons-react'
import { Link } from 'wouter'
import { useAct, useAsk } from '../api/ask.ts'
import { answerOf, type components } from '../api/client.ts'
import { useApi, useMay } from '../api/project.tsx'
import { useAddress } from '../parts/address.ts'
import { Answer } from '../parts/answer.tsx'
import { CopyCurl } from '../parts/copy.tsx'
import { Empty } from '../parts/empty.tsx'
import { Facts } from '../parts/facts.tsx'
import { useFormats } from '../parts/formats.ts'
import { List } from '../parts/list.tsx'
import { MailFrame } from '../parts/mail-frame.tsx'
import { Moment } from '../parts/moment.tsx'
import { NounActions } from '../parts/noun-actions.tsx'
import { Page } from '../parts/page.tsx'
import { Pill } from '../parts/pill.tsx'
import { usePressOnce } from '../parts/press-once.ts'
import { Together } from '../parts/together/together.tsx'
import { useTexts } from '../texts/texts.tsx'
import { useSeriesQuestion } from './ask-of-series.ts'
import { SeriesForm, seriesBody } from './series-form.tsx'
import { rhythmInWords } from './series-words.ts'

type Series = components['schemas']['Series']
type Issue = components['schemas']['ListedCampaign']

/** One series: when its next issue comes, what is wrong, its issues, and what it is made of. */
export function SeriesPage({ id }: { readonly id: string }) {
  const t = useTexts()
  const series = useAsk<Series>(
    ['series', id],
    (api, signal) => api.GET('/campaign-series/{id}', { params: { path: { id } }, signal }),
    { every: () => 30_000 },
  )
  return (
    <Answer of={series} lines={8}>
      {(found) => (
        <Page
          title={found.name}
          beside={<Pill status={found.status} />}
          trail={[
            { text: t.campaigns.title, href: '/' },
            { text: t.series.title, href: '/series' },
          ]}
          actions={<Actions series={found} />}
        >
          <Together kind="campaign-series" id={id} />
          <About series={found} />
        </Page>
      )}
    </Answer>
  )
}

function About({ series }: { readonly series: Series }) {
  const t = useTexts()
  const may = useMay()
  const formats = useFormats()
  const { values, change } = useAddress()
  const { campaignId, rhythm, feedUrl, feedTitle, feedReadAt, sends, upcoming, lastAt, problem } = series
  return (
    <Stack>
      {problem === undefined ? null : (
        <Alert color="red" title={t.series.problem} role="alert">
          {t.reasons(problem)}
        </Alert>
      )}
      <Paper withBorder p="md">
        <Facts
          of={[
            [t.series.rhythm, rhythmInWords(rhythm, t)],
            [
              t.series.next,
              upcoming.length === 0 ? undefined : (
                <div key="next">
                  {upcoming.map((at) => (
                    <div key={at}>{formats.exact(at)}</div>
                  ))}
                </div>
              ),
            ],
            [t.series.last, lastAt === undefined ? undefined : <Moment key="last" at={lastAt} />],
            [
              t.series.pattern,
              <Anchor key="pattern" component={Link} href={`/${campaignId}`}>
                {t.series.openPattern}
              </Anchor>,
            ],
            [t.series.feedUrl, feedUrl === undefined ? undefined : `${feedTitle ?? ''} ${feedUrl}`.trim()],
            [t.series.readAt, feedReadAt === undefined ? undefined : <Moment key="read" at={feedReadAt} />],
            [t.series.afterwards, sends ? t.series.sends : t.series.drafts],
          ]}
        />
      </Paper>
      <Tabs
        value={values.tab ?? 'issues'}
        onChange={(tab) => change({ tab: tab ?? undefined, cursor: undefined, page: undefined })}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="issues">{t.series.issues}</Tabs.Tab>
          <Tabs.Tab value="preview">{t.series.preview}</Tabs.Tab>
          {may.campaigns ? <Tabs.Tab value="settings">{t.series.settings}</Tabs.Tab> : null}
        </Tabs.List>
        <Tabs.Panel value="issues">
          <Issues id={series.id} />
        </Tabs.Panel>
        <Tabs.Panel value="preview">
          <Preview id={series.id} />
        </Tabs.Panel>
        {may.campaigns ? (
          <Tabs.Panel value="settings">
            <Settings series={series} />
          </Tabs.Panel>
        ) : null}
      </Tabs>
    </Stack>
  )
}

function Issues({ id }: { readonly id: string }) {
  const t = useTexts()
  const formats = useFormats()
  return (
    <List<Issue>
      noun="campaigns"
      of={['issues', id]}
      label={t.series.issues}
      ask={(api, { page: _, ...query }, signal) =>
        api.GET('/campaigns', { params: { query: { ...query, seriesId: id } }, signal })
      }
      href={(issue) => `/${issue.id}`}
      rowName={({ name }) => name}
      columns={[
        { key: 'name', title: t.campaigns.name, cell: ({ name }) => name },
        { key: 'status', title: t.anywhere.status, cell: ({ status }) => <Pill status={status} /> },
        { key: 'subject', title: t.campaigns.subject, cell: ({ subject }) => subject },
        { key: 'sent', title: t.campaigns.figures.sent, align: 'right', cell: ({ sent }) => formats.number(sent) },
        { key: 'made', title: t.anywhere.created, cell: ({ createdAt }) => <Moment at={createdAt} /> },
      ]}
      empty={<Empty title={t.series.noIssues} hint={t.series.noIssuesHint} />}
    />
  )
}

function Preview({ id }: { readonly id: string }) {
  const t = useTexts()
  const preview = useAsk(['series', id, 'preview'], (api, signal) =>
    api.POST('/campaign-series/{id}/preview', { params: { path: { id } }, signal }),
  )
  return (
    <Answer of={preview}>
      {({ subject, body, isSample }) => (
        <Paper withBorder p="md">
          <Text size="sm" c="dimmed" mb="xs">
            {isSample ? t.series.isSample : t.series.isNext}
          </Text>
          <Title order={2} size="h4" mb="sm">
            {subject}
          </Title>
          <MailFrame html={body} title={t.preview.title} pictures />
        </Paper>
      )}
    </Answer>
  )
}

function Settings({ series }: { readonly series: Series }) {
  const t = useTexts()
  const api = useApi()
  const { name, campaignId, rhythm, feedUrl = '', sends } = series
  const agree = useSeriesQuestion()
  const { every, days = ['mon'], day = 1, at, timezone } = rhythm
  return (
    <Paper withBorder p="lg" maw={800}>
      <SeriesForm
        initial={{ name, campaignId, every, days, day: String(day), at, timezone, feedUrl, sends }}
        save={(fields) =>
          answerOf(
            api.PATCH('/campaign-series/{id}', { params: { path: { id: series.id } }, body: seriesBody(fields) }),
          )
        }
        // one that is paused, or sends already, begins nothing now
        agree={(fields) => agree({ ...fields, sends: fields.sends && !sends && series.status === 'ON' })}
        effects={{ changes: ['series'], done: t.series.saved }}
        submit={t.anywhere.save}
      />
    </Paper>
  )
}

function Actions({ series }: { readonly series: Series }) {
  const { id, name, status } = series
  const t = useTexts()
  const may = useMay()
  const path = { params: { path: { id } } }
  const changes = ['series']
  const pause = useAct((api) => api.POST('/campaign-series/{id}/pause', path), { changes, done: t.series.paused })
  const resume = useAct((api) => api.POST('/campaign-series/{id}/resume', path), { changes, done: t.series.resumed })
  const skip = useAct((api) => api.POST('/campaign-series/{id}/skip', path), { changes, done: t.series.skipped })
  const agree = useSeriesQuestion()
  const once = usePressOnce()
  const goOn = async () => {
    if (await agree(series)) resume.mutate()
  }
  if (!may.campaigns) return <CopyCurl path={`/campaign-series/${id}`} />
  return (
    <>
      {status === 'ON' ? (
        <Button
          variant="default"
          leftSection={<IconPlayerPause size={16} />}
          loading={pause.isPending}
          onClick={() => once(pause.mutate)}
        >
          {t.series.pause}
        </Button>
      ) : (
        <Button
          leftSection={<IconPlayerPlay size={16} />}
          loading={resume.isPending}
          onClick={() => once(() => void goOn())}
        >
          {t.series.resume}
        </Button>
      )}
      <CopyCurl path={`/campaign-series/${id}`} />
      <NounActions
        remove={{
          act: (api) => api.DELETE('/campaign-series/{id}', path),
          changes,
          done: t.series.deleted,
          question: { title: t.series.deleteTitle(name), text: t.series.deleteHint, yes: t.series.delete },
          back: '/series',
        }}
      >
        {status === 'ON' ? (
          <Menu.Item leftSection={<IconPlayerSkipForward size={14} />} onClick={() => skip.mutate()}>
            {t.series.skip}
          </Menu.Item>
        ) : null}
      </NounActions>
    </>
  )
}
