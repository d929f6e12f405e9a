import { Paper, Progress, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useAsk } from '../api/ask.ts'
import type { components } from '../api/client.ts'
import { useProject } from '../api/project.tsx'
import { useAdvice } from '../parts/advice.ts'
import { Answer } from '../parts/answer.tsx'
import { CopyCurl } from '../parts/copy.tsx'
import { useFormats } from '../parts/formats.ts'
import { Moment } from '../parts/moment.tsx'
import { Pill } from '../parts/pill.tsx'
import { SectionHead } from '../parts/section-head.tsx'
import { DataTable } from '../parts/table.tsx'
import { useTexts } from '../texts/texts.tsx'

type Limits = components['schemas']['SendingLimits']

/** How often it is looked at, in milliseconds. */
const EVERY = 30_000
/** From how many percent on a limit is shown as nearly used up. */
const NEARLY = 90
/** The state of a ramp, as pills color it. */
const STATES = { ok: 'ok', warning: 'degraded', stopped: 'down' } as const

/** How much of its quotas a project has used, and how far its sender domains are warmed up. */
export function Limits() {
  const t = useTexts()
  const { id } = useProject()
  const limits = useAsk<Limits>(
    ['limits'],
    (api, signal) => api.GET('/projects/{id}/limits', { params: { path: { id } }, signal }),
    { every: EVERY },
  )
  return (
    <Answer of={limits}>
      {(found) => (
        <Stack gap="lg">
          <Text size="sm" c="dimmed" maw={720}>
            {t.settings.limits.hint}
          </Text>
          <Quotas quotas={found.quotas} />
          <Ramps ramps={found.ramps} />
          <div>
            <CopyCurl path={`/projects/${id}/limits`} />
          </div>
        </Stack>
      )}
    </Answer>
  )
}

function Quotas({ quotas }: Pick<Limits, 'quotas'>) {
  const t = useTexts()
  const formats = useFormats()
  const project = useProject()
  const words = t.settings.limits
  return (
    <Stack component="section" gap="xs">
      <Title order={2} size="h4">
        {words.quotas}
      </Title>
      {quotas.length === 0 ? (
        <Text size="sm">{words.noQuotas}</Text>
      ) : (
        <SimpleGrid cols={{ base: 1, sm: 2 }} maw={720}>
          {quotas.map(({ of, most, used, left, renewsAt }) => {
            const name = words.quota[of]
            return (
              <Paper key={of} withBorder p="md">
                <Title order={3} size="h5" mb={4}>
                  {name}
                </Title>
                <Text size="sm" mb="xs">
                  {words.used(formats.number(used), formats.number(most))}
                </Text>
                <Share name={name} used={used} most={most} />
                <Text size="sm" mt="xs">
                  {left === 0 ? words.usedUp : words.left(formats.number(left))}
                </Text>
                <Text size="sm" c="dimmed">
                  {words.renews(formats.time(renewsAt), project.timeZone ?? 'UTC')}
                </Text>
              </Paper>
            )
          })}
        </SimpleGrid>
      )}
    </Stack>
  )
}

function Ramps({ ramps }: Pick<Limits, 'ramps'>) {
  const t = useTexts()
  const formats = useFormats()
  const say = useAdvice()
  const words = t.settings.limits
  return (
    <Stack component="section" gap="xs">
      <SectionHead title={words.ramps} hint={words.rampsHint} />
      {ramps.length === 0 ? (
        <Text size="sm">{words.noRamps}</Text>
      ) : (
        <DataTable
          name="ramps"
          label={words.ramps}
          rows={ramps.map((ramp) => ({ ...ramp, id: `${ramp.transport} ${ramp.domain}` }))}
          rowName={({ domain, transport }) => `${domain}, ${transport}`}
          columns={[
            { key: 'domain', title: words.domain, cell: ({ domain }) => domain },
            { key: 'transport', title: words.transport, cell: ({ transport }) => transport },
            { key: 'step', title: words.step, align: 'right', cell: ({ step }) => formats.number(step) },
            {
              key: 'today',
              title: words.today,
              cell: ({ domain, sent, perDay, left }) => (
                <>
                  <Text size="sm">{words.used(formats.number(sent), formats.number(perDay))}</Text>
                  <Share name={`${words.today}, ${domain}`} used={sent} most={perDay} />
                  <Text size="xs" c="dimmed" mt={4}>
                    {left === 0 ? words.rampUsedUp : words.left(formats.number(left))}
                  </Text>
                </>
              ),
            },
            { key: 'renewsAt', title: words.nextDay, cell: ({ renewsAt }) => <Moment at={renewsAt} /> },
            {
              key: 'state',
              title: words.growth,
              cell: ({ state, reasons, reasonCodes }) => (
                <>
                  <Pill status={STATES[state]} text={words.states[state]} />
                  {reasons.map((reason, at) => (
                    <Text key={reason} size="xs" mt={4}>
                      {say(reason, reasonCodes.slice(at, at + 1))}
                    </Text>
                  ))}
                  {state === 'ok' ? null : (
                    <Text size="xs" mt={4}>
                      {words.advice}
                    </Text>
                  )}
                </>
              ),
            },
          ]}
          empty={null}
        />
      )}
    </Stack>
  )
}

/** How much of a limit is used, as a bar. */
function Share({ name, used, most }: { readonly name: string; readonly used: number; readonly most: number }) {
  const percent = most === 0 ? 100 : Math.min(100, (used / most) * 100)
  return (
    <Progress
      value={percent}
      aria-label={name}
      color={percent >= 100 ? 'red' : percent >= NEARLY ? 'yellow' : 'blue'}
      size="sm"
      miw={120}
    />
  )
}
