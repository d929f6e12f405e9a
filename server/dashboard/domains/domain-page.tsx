import { Alert, Button, Group, Paper, Stack, Text, TextInput } from '@mantine/core'
import { IconKey, IconRefresh, IconSend } from '@tabler/icons-react'
import { useState } from 'react'
import { useAct, useAsk } from '../api/ask.ts'
import { answerOf } from '../api/client.ts'
import { useApi, useMay } from '../api/project.tsx'
import { useAdvice } from '../parts/advice.ts'
import { Answer } from '../parts/answer.tsx'
import { Breakable } from '../parts/breakable.tsx'
import { useConfirm } from '../parts/confirm.tsx'
import { DnsRecords, type Domain, DomainPill, isTrusted, TrustedNote } from '../parts/dns-records.tsx'
import { Empty } from '../parts/empty.tsx'
import { FormBox, useForm } from '../parts/form.tsx'
import { DeleteButton } from '../parts/noun-actions.tsx'
import { Page } from '../parts/page.tsx'
import { SectionHead } from '../parts/section-head.tsx'
import { useTexts } from '../texts/texts.tsx'
import type { Texts } from '../texts/types.ts'
import { ReceiverFigures } from './figures.tsx'
import { Logo } from './logo.tsx'
import { MtaSts } from './mta-sts.tsx'
import { useDomains } from './queries.ts'
import { Reports } from './reports.tsx'

/** One domain: its records to copy, the state of each in words, and a test. */
export function DomainPage({ id }: { readonly id: string }) {
  const t = useTexts()
  const domains = useDomains()
  return (
    <Answer of={domains} lines={8}>
      {(all) => {
        const domain = all.find((each) => each.id === id)
        if (domain === undefined) return <Empty title={t.anywhere.notFound} hint={t.anywhere.notFoundHint} />
        return (
          <Page
            title={domain.domain}
            beside={<DomainPill domain={domain} />}
            trail={[{ text: t.domains.title, href: '/' }]}
            actions={<Actions domain={domain} />}
          >
            <TrustedNote domain={domain} />
            <DnsRecords domain={domain} />
            <Test id={id} />
            <Reports id={id} />
            <ReceiverFigures id={id} />
            <MtaSts domain={domain} />
            <Logo id={id} />
            <LinkHost domain={domain} />
          </Page>
        )
      }}
    </Answer>
  )
}

/** The name of a line of the test; those of records are named after the record's purpose. */
function nameOfCheck(name: string, { checks, purposes, record }: Texts['domains']): string {
  const purpose = /^record: (.*)/.exec(name)?.[1]
  return purpose === undefined ? (checks[name] ?? name) : record(purposes[purpose] ?? purpose)
}

function Test({ id }: { readonly id: string }) {
  const t = useTexts()
  const say = useAdvice()
  const may = useMay()
  const [test, setTest] = useState<string | undefined>()
  const start = useAct((api) => api.POST('/domains/{id}/test', { params: { path: { id } }, body: {} }), {
    changes: [],
    onDone: ({ testId }) => setTest(testId),
  })
  const result = useAsk(
    ['domains', id, 'test', test],
    (api, signal) => api.GET('/domains/{id}/test/{testId}', { params: { path: { id, testId: test ?? '' } }, signal }),
    { enabled: test !== undefined, every: (found) => (found?.state === 'done' ? false : 2000) },
  )
  if (!may.domains) return null
  return (
    <Paper withBorder p="md">
      <Group justify="space-between">
        <SectionHead title={t.domains.test} hint={t.domains.testHint} />
        <Button
          variant="default"
          leftSection={<IconSend size={16} />}
          loading={start.isPending}
          onClick={() => start.mutate()}
        >
          {t.domains.test}
        </Button>
      </Group>
      {result.data === undefined ? null : (
        <Stack gap="xs" mt="md" aria-live="polite">
          {result.data.state === 'waiting' ? <Text size="sm">{t.domains.testing}</Text> : null}
          {result.data.checks.map(({ name, ok, seen, seenCodes, advice, adviceCodes }) => (
            <Alert
              key={name}
              color={ok === true ? 'teal' : ok === false ? 'red' : 'gray'}
              p="xs"
              title={nameOfCheck(name, t.domains)}
            >
              <Breakable text={say(seen, seenCodes)} />
              {advice ? <Text size="sm">{say(advice, adviceCodes)}</Text> : null}
            </Alert>
          ))}
        </Stack>
      )}
    </Paper>
  )
}

function LinkHost({ domain: { id, linkHost = '' } }: { readonly domain: Domain }) {
  const t = useTexts()
  const api = useApi()
  const may = useMay()
  const form = useForm({
    initial: { linkHost },
    save: ({ linkHost: host }) =>
      answerOf(api.PATCH('/domains/{id}', { params: { path: { id } }, body: { linkHost: host.trim() || null } })),
    changes: ['domains'],
    done: t.domains.saved,
  })
  if (!may.domains) return null
  return (
    <Paper withBorder p="md">
      <FormBox form={form}>
        <TextInput
          label={t.domains.linkHost}
          description={t.domains.linkHostHint}
          maw={480}
          {...form.text('linkHost')}
        />
      </FormBox>
    </Paper>
  )
}

function Actions({ domain: whole }: { readonly domain: Domain }) {
  const t = useTexts()
  const may = useMay()
  const confirm = useConfirm()
  const { id, domain } = whole
  const path = { params: { path: { id } } }
  const changes = ['domains']
  const check = useAct((api) => api.GET('/domains/{id}/verify', path), { changes, done: t.domains.checked })
  const rotate = useAct((api) => api.POST('/domains/{id}/rotate', path), { changes, done: t.domains.rotated })
  const askRotate = async () => {
    if (await confirm({ title: t.domains.rotateTitle, text: t.domains.rotateHint, yes: t.domains.rotate }))
      rotate.mutate()
  }
  return (
    <>
      <Button leftSection={<IconRefresh size={16} />} loading={check.isPending} onClick={() => check.mutate()}>
        {t.domains.check}
      </Button>
      {may.domains ? (
        <>
          <Button variant="default" leftSection={<IconKey size={16} />} onClick={() => void askRotate()}>
            {t.domains.rotate}
          </Button>
          <DeleteButton
            act={(api) => api.DELETE('/domains/{id}', path)}
            changes={changes}
            done={t.domains.removed}
            question={{
              title: t.domains.removeTitle(domain),
              text: isTrusted(whole) ? t.domains.removeTrustedHint : t.domains.removeHint,
              yes: t.domains.remove,
            }}
          />
        </>
      ) : null}
    </>
  )
}
