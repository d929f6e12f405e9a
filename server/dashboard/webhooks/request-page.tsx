import { Button, Paper, Title } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useLocation } from 'wouter'
import { useAct, useAsk } from '../api/ask.ts'
import { useMay } from '../api/project.tsx'
import { Answer } from '../parts/answer.tsx'
import { CopyCurl } from '../parts/copy.tsx'
import { Facts } from '../parts/facts.tsx'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { Pill } from '../parts/pill.tsx'
import { useTexts } from '../texts/texts.tsx'
import { REQUEST_STATES } from './requests.tsx'
import classes from './webhooks.module.css'

/** One request: what was sent, what was answered, and the way to send it again. */
export function RequestPage({ id }: { readonly id: string }) {
  const t = useTexts()
  const may = useMay()
  const [, navigate] = useLocation()
  const path = { params: { path: { id } } }
  const request = useAsk(
    ['webhooks', 'deliveries', id],
    (api, signal) => api.GET('/webhooks/deliveries/{id}', { ...path, signal }),
    { every: (found) => (found?.status === 'PENDING' ? 2000 : false) },
  )
  const replay = useAct((api) => api.POST('/webhooks/deliveries/{id}/replay', path), {
    changes: ['webhooks'],
    done: t.webhooks.replayed,
    onDone: (copy) => navigate(`/requests/${copy.id}`),
  })
  return (
    <Answer of={request}>
      {({ status, url, method, eventName, attempts, responseStatus, error, createdAt, ...content }) => {
        const { requestHeaders, requestBody, responseBody } = content
        return (
          <Page
            title={eventName ?? url}
            beside={<Pill status={REQUEST_STATES[status] ?? status} text={t.webhooks.states[status]} />}
            trail={[{ text: t.webhooks.title, href: '/' }]}
            actions={
              <>
                <CopyCurl path={`/webhooks/deliveries/${id}`} />
                {may.webhooks && status !== 'PENDING' ? (
                  <Button
                    leftSection={<IconRefresh size={16} />}
                    loading={replay.isPending}
                    onClick={() => replay.mutate()}
                  >
                    {t.webhooks.replay}
                  </Button>
                ) : null}
              </>
            }
          >
            <Box title={t.webhooks.request}>
              <Facts
                of={[
                  [t.webhooks.url, `${method} ${url}`],
                  [t.webhooks.when, <Moment key="when" at={createdAt} />],
                  [t.webhooks.attempts, attempts],
                  [t.webhooks.answer, responseStatus],
                  [t.anywhere.details, error && t.reasons(error)],
                ]}
              />
            </Box>
            <Box title={t.webhooks.headers}>
              <pre className={classes.body}>{pretty(requestHeaders)}</pre>
            </Box>
            {requestBody === null ? null : (
              <Box title={t.webhooks.body}>
                <pre className={classes.body}>{pretty(requestBody)}</pre>
              </Box>
            )}
            {responseBody === null ? null : (
              <Box title={t.webhooks.answerBody}>
                <pre className={classes.body}>{pretty(responseBody)}</pre>
              </Box>
            )}
          </Page>
        )
      }}
    </Answer>
  )
}

function pretty(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value, null, 2)
  try {
    return JSON.stringify(JSON.parse(value), null, 2)
  } catch {
    return value
  }
}

function Box({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4" mb="sm">
        {title}
      </Title>
      {children}
    </Paper>
  )
}
