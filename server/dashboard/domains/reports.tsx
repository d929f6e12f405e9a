import { Alert, Button, FileButton, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { IconUpload } from '@tabler/icons-react'
import { useAct } from '../api/ask.ts'
import type { components } from '../api/client.ts'
import { useMay } from '../api/project.tsx'
import { useAdvice } from '../parts/advice.ts'
import { Answer } from '../parts/answer.tsx'
import { useFormats } from '../parts/formats.ts'
import { SectionHead } from '../parts/section-head.tsx'
import { type Column, DataTable } from '../parts/table.tsx'
import { TimeChart } from '../parts/time-chart.tsx'
import { useTexts } from '../texts/texts.tsx'
import { REPORT_DAYS, useReports } from './queries.ts'

type Summary = components['schemas']['ReportSummary']
type Sender = components['schemas']['ReportedSender']

/** The reports of receivers on a domain: who sends in its name, what passes, and what to do about the policy. */
export function Reports({ id }: { readonly id: string }) {
  const t = useTexts()
  const may = useMay()
  const path = { id }
  const summary = useReports(id)
  const upload = useAct((api, file: File) => api.POST('/domains/{id}/reports', { params: { path }, body: { file } }), {
    changes: ['domains'],
    done: (report) => t.reports.added(report.reporter),
  })
  return (
    <Paper withBorder p="md">
      <Group justify="space-between" mb="md">
        <SectionHead title={t.reports.title} hint={t.reports.hint(REPORT_DAYS)} />
        {may.domains ? (
          <FileButton accept=".xml,.json,.gz,.zip,.eml" onChange={(file) => file && upload.mutate(file)}>
            {(props) => (
              <Button {...props} variant="default" leftSection={<IconUpload size={16} />} loading={upload.isPending}>
                {t.reports.add}
              </Button>
            )}
          </FileButton>
        ) : null}
      </Group>
      <Answer of={summary} lines={6}>
        {(found) => <Found summary={found} />}
      </Answer>
    </Paper>
  )
}

function Found({ summary }: { readonly summary: Summary }) {
  const t = useTexts()
  const say = useAdvice()
  const formats = useFormats()
  const { days, senders, tls, failureReports, failureDays, policy, messages, passed, atRisk } = summary
  const lastFailure = failureDays.at(-1)?.day
  const [first] = summary.adviceCodes
  const isGood = first !== undefined && /^reports_(to|at)_/.test(first.code)
  const isBad = first?.code.startsWith('reports_fix_')
  return (
    <Stack gap="md">
      <Alert color={isBad ? 'red' : isGood ? 'teal' : 'gray'} p="xs">
        {say(summary.advice, summary.adviceCodes)}
      </Alert>
      {policy === null || messages === 0 ? null : (
        <Text size="sm">
          {t.reports.policy(policy)}{' '}
          {passed === messages
            ? t.reports.allPassed
            : t.reports.lost(
                policy,
                messages - passed,
                formats.number(messages - passed),
                atRisk,
                formats.number(atRisk),
              )}
        </Text>
      )}
      {days.length === 0 ? null : (
        <TimeChart
          label={t.reports.byDay}
          height={180}
          days={days.map(({ day }) => day)}
          series={[
            { name: t.reports.passed, color: '#0b7285', values: days.map(({ passed }) => passed) },
            { name: t.reports.failed, color: '#e03131', values: days.map(({ messages, passed }) => messages - passed) },
          ]}
        />
      )}
      {senders.length === 0 ? null : <Senders senders={senders} />}
      {lastFailure === undefined ? null : (
        <Text size="sm">
          {t.reports.failures(failureReports, formats.number(failureReports), formats.date(lastFailure))}
        </Text>
      )}
      {tls.sessions === 0 ? null : (
        <div>
          <Title order={3} size="h5">
            {t.reports.tls}
          </Title>
          <Text size="sm">{t.reports.tlsFigures(formats.number(tls.sessions), formats.number(tls.failed))}</Text>
          {tls.failures.map(({ type, host, detail, sessions }) => (
            <Text key={`${type} ${host} ${detail}`} size="sm" c="dimmed">
              {[`${formats.number(sessions)} × ${t.reports.tlsReasons[type] ?? type}`, host, detail]
                .filter(Boolean)
                .join(' · ')}
            </Text>
          ))}
        </div>
      )}
    </Stack>
  )
}

function Senders({ senders }: { readonly senders: readonly Sender[] }) {
  const t = useTexts()
  const formats = useFormats()
  const rows = senders.map((sender) => ({ ...sender, id: `${sender.kind} ${sender.name}` }))
  const columns: readonly Column<(typeof rows)[number]>[] = [
    {
      key: 'name',
      title: t.reports.sender,
      cell: ({ kind, name, examples, addresses }) => (
        <>
          <Text size="sm">{name || (kind === 'own' ? t.reports.kinds[kind] : t.reports.rest)}</Text>
          <Text size="xs" c="dimmed">
            {[name ? t.reports.kinds[kind] : '', t.reports.addresses(addresses, examples.join(', '))]
              .filter((words) => words !== '' && words !== name)
              .join(' · ')}
          </Text>
        </>
      ),
    },
    { key: 'messages', title: t.reports.messages, align: 'right', cell: ({ messages }) => formats.number(messages) },
    {
      key: 'passed',
      title: t.reports.passed,
      align: 'right',
      cell: ({ messages, passed }) => formats.percent((passed / Math.max(messages, 1)) * 100),
    },
    { key: 'byDkim', title: 'DKIM', align: 'right', cell: ({ byDkim }) => formats.number(byDkim) },
    { key: 'bySpf', title: 'SPF', align: 'right', cell: ({ bySpf }) => formats.number(bySpf) },
    {
      key: 'rejected',
      title: t.reports.rejected,
      align: 'right',
      sparse: true,
      cell: ({ quarantined, rejected }) =>
        quarantined + rejected === 0 ? null : formats.number(quarantined + rejected),
    },
  ]
  return <DataTable name="reports" label={t.reports.senders} columns={columns} rows={rows} empty={null} />
}
