import { Anchor, Button, Group, Paper, Stack, Table, Text } from '@mantine/core'
import { Link } from 'wouter'
import { useAct, useAsk } from '../api/ask.ts'
import type { components } from '../api/client.ts'
import { useMay, useProjectId } from '../api/project.tsx'
import { Answer } from '../parts/answer.tsx'
import { Moment } from '../parts/moment.tsx'
import { Pill } from '../parts/pill.tsx'
import { SectionHead } from '../parts/section-head.tsx'
import { toProject } from '../shell/to-app.ts'
import { useTexts } from '../texts/texts.tsx'
import type { VariantName } from './queries.ts'

type Test = components['schemas']['SeedTest']
type Result = components['schemas']['SeedResult']

/** How often a test is asked for while it waits, in milliseconds. */
const ASK_MS = 5_000

/** States that have the color of each outcome. */
const STATES: Readonly<Partial<Record<Result['outcome'], string>>> = {
  inbox: 'ok',
  tab: 'slowed',
  other: 'slowed',
  spam: 'down',
  missing: 'down',
}

/** Where the mail of the campaign landed in mailboxes of one's own, and the button that sends it there. */
export function SeedTests({ id, variant }: { readonly id: string; readonly variant: VariantName | undefined }) {
  const t = useTexts()
  const may = useMay()
  const project = useProjectId()
  const mailboxes = useAsk(['seeds'], (api, signal) => api.GET('/seeds/mailboxes', { signal }))
  const tests = useAsk<readonly Test[]>(
    ['seed-tests', id],
    (api, signal) => api.GET('/campaigns/{id}/seed-tests', { params: { path: { id } }, signal }),
    { every: (found) => (found?.[0]?.waits ? ASK_MS : false), keep: true },
  )
  const start = useAct(
    (api) =>
      api.POST('/campaigns/{id}/seed-tests', {
        params: { path: { id } },
        body: variant === undefined ? {} : { variant },
      }),
    { changes: ['seed-tests', 'emails'], done: t.seeds.started },
  )
  const count = mailboxes.data?.length ?? 0
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start">
          <SectionHead title={t.seeds.title} hint={count === 0 ? t.seeds.noneHint : t.seeds.testHint} />
          {count === 0 ? (
            may.settings ? (
              <Button component={Link} href={toProject(project, '/settings?tab=seeds')} variant="default">
                {t.seeds.add}
              </Button>
            ) : null
          ) : (
            <Button variant="default" loading={start.isPending} onClick={() => start.mutate()}>
              {t.seeds.start}
            </Button>
          )}
        </Group>
        <Answer of={tests} lines={2}>
          {([last]) => (last === undefined ? null : <Landed test={last} />)}
        </Answer>
      </Stack>
    </Paper>
  )
}

function Landed({ test: { createdAt, minutes, variant, results } }: { readonly test: Test }) {
  const t = useTexts()
  const project = useProjectId()
  return (
    <>
      <Text size="sm">
        {variant === null ? t.seeds.lastTest : t.seeds.lastTestOf(variant)}: <Moment at={createdAt} />
      </Text>
      <Table.ScrollContainer minWidth={480}>
        <Table aria-label={t.seeds.title}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t.seeds.mailbox}</Table.Th>
              <Table.Th>{t.seeds.landed}</Table.Th>
              <Table.Th>{t.seeds.folder}</Table.Th>
              <Table.Th>{t.seeds.arrived}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {results.map((result) => (
              <Table.Tr key={result.mailboxId}>
                <Table.Td>
                  <Anchor component={Link} href={toProject(project, `/mails/${result.emailId}`)} size="sm">
                    {result.address}
                  </Anchor>
                </Table.Td>
                <Table.Td>
                  <Pill
                    status={STATES[result.outcome] ?? result.outcome}
                    text={result.outcome === 'missing' ? t.seeds.missing(minutes) : t.seeds.outcomes[result.outcome]}
                  />
                  {result.problem === null ? null : (
                    <Text size="xs" c="dimmed">
                      {t.refusals.problem(result.problem, undefined)}
                    </Text>
                  )}
                </Table.Td>
                <Table.Td>{[result.folder, result.tab && t.seeds.tab(result.tab)].filter(Boolean).join(', ')}</Table.Td>
                <Table.Td>
                  <Moment at={result.arrivedAt} empty="" />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </>
  )
}
