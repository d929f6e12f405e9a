import { Alert, Anchor, Badge, Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { Link } from 'wouter'
import { useAct, useAsk } from '../api/ask.ts'
import type { components } from '../api/client.ts'
import { useMay } from '../api/project.tsx'
import { Answer } from '../parts/answer.tsx'
import { useConfirm } from '../parts/confirm.tsx'
import { deliveredName } from '../parts/delivered.ts'
import { useFormats } from '../parts/formats.ts'
import { type Column, DataTable } from '../parts/table.tsx'
import { useTexts } from '../texts/texts.tsx'
import type { Texts } from '../texts/types.ts'
import type { Campaign } from './queries.ts'

type Results = components['schemas']['VariantResults']
type Part = components['schemas']['TestPartResult']
type Row = Part & { readonly id: string; readonly subject?: string }
type Name = components['schemas']['VariantResult']['variant']

/** The least sure a difference has to be, as the API judges variants. */
const ALPHA = 0.05
/** The counts of a part, each with what lists the people behind it. */
const COUNTS = [
  ['recipients', ''],
  ['sent', '&sent=true'],
  ['delivered', '&delivered=true'],
  ['opened', '&opened=true'],
  ['clicked', '&clicked=true'],
  ['unsubscribed', '&unsubscribed=true'],
] as const

/** How the variants of a campaign compare, what its rest waits for, and the choice of the one it gets. */
export function VariantResults({ campaign }: { readonly campaign: Campaign }) {
  const t = useTexts()
  const { id, status, test, testing } = campaign
  const results = useAsk<Results>(
    ['campaigns', id, 'variants', status, testing?.phase],
    (api, signal) => api.GET('/campaigns/{id}/variants', { params: { path: { id } }, signal }),
    { enabled: test !== undefined, every: status === 'SENDING' ? 5000 : 20_000, keep: true },
  )
  if (test === undefined) return null
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4" mb="xs">
        {t.variants.title}
      </Title>
      <Answer of={results}>{(found) => <Compared campaign={campaign} results={found} />}</Answer>
    </Paper>
  )
}

function Compared({ campaign, results }: { readonly campaign: Campaign; readonly results: Results }) {
  const t = useTexts()
  const formats = useFormats()
  const { variants, rest, heldOut, winner, best, isClear } = results
  const rows: readonly Row[] = [...variants, ...(rest ? [rest] : []), ...(heldOut ? [heldOut] : [])].map((part) => ({
    ...part,
    id: part.variant,
  }))
  const count = (part: Row, value: number, query: string, what: string) => (
    <Anchor
      component={Link}
      href={`/${campaign.id}?tab=recipients&variant=${part.variant}${query}`}
      aria-label={`${formats.number(value)} ${what}, ${partName(part.variant, t)}`}
      inherit
    >
      {formats.number(value)}
    </Anchor>
  )
  const sum = (key: 'delivered' | 'toFolder') => rows.reduce((all, part) => all + part[key], 0)
  const delivered = deliveredName(t, sum('delivered'), sum('toFolder'))
  const names = { ...t.campaigns.figures, delivered, recipients: t.variants.recipients }
  const metName = results.metric === 'event' ? t.variants.met.event(results.event ?? '') : metOf(results, t)
  // that the figures cannot tell matters only until a person has chosen
  const verdict = winner === null || isClear ? verdictIn(results, t) : undefined
  const canChoose = useMay().campaigns && campaign.testing?.phase === 'waiting' && isGoing(campaign)
  const columns: readonly Column<Row>[] = [
    {
      key: 'variant',
      title: t.variants.part,
      cell: ({ variant, subject }) => (
        <>
          <Group gap="xs">
            <Text span fw={600} size="sm">
              {variant === 'rest' && winner !== null ? t.variants.rest(winner) : partName(variant, t)}
            </Text>
            {variant === winner ? (
              <Badge color="green" variant="light">
                {t.variants.winner}
              </Badge>
            ) : variant === best && winner === null && variants.length > 1 ? (
              <Badge variant="light">{t.variants.best}</Badge>
            ) : null}
          </Group>
          {subject === undefined ? null : (
            <Text size="xs" c="dimmed">
              {subject}
            </Text>
          )}
          {canChoose && isVariant(variant) ? <Choose campaign={campaign} results={results} variant={variant} /> : null}
        </>
      ),
    },
    {
      key: 'met',
      title: metName,
      align: 'right',
      cell: (part) => count(part, part.met, '&metric=true', metName),
    },
    {
      key: 'rate',
      title: t.variants.rate,
      align: 'right',
      cell: ({ rate, low, high }) =>
        t.variants.rateOf(formats.percent(rate), formats.percent(low), formats.percent(high)),
    },
    ...COUNTS.map(([key, query]) => ({
      key,
      title: names[key],
      align: 'right' as const,
      cell: (part: Row) => count(part, part[key], query, names[key]),
    })),
  ]
  return (
    <Stack gap="sm">
      <Alert color={canChoose && needsPerson(campaign) ? 'yellow' : isClear ? 'green' : 'blue'} p="sm">
        {verdict === undefined ? null : (
          <Text size="sm" fw={600}>
            {verdict}
          </Text>
        )}
        <Text size="sm" fw={verdict === undefined ? 600 : 400} aria-live="polite">
          {stateIn(campaign, t, formats.time)}
        </Text>
      </Alert>
      <DataTable
        name="campaign-variants"
        label={t.variants.title}
        rows={rows}
        columns={columns}
        rowName={({ variant }) => partName(variant, t)}
        empty={null}
      />
      <Text size="xs" c="dimmed">
        {t.variants.rateHint}
        {heldOut === null ? '' : ` ${heldOutIn(results, t)}`}
      </Text>
    </Stack>
  )
}

/** The button that sends a variant to the rest, once a person has said yes. */
function Choose({
  campaign,
  results,
  variant,
}: {
  readonly campaign: Campaign
  readonly results: Results
  readonly variant: Name
}) {
  const t = useTexts()
  const confirm = useConfirm()
  const { id } = campaign
  const choose = useAct((api) => api.POST('/campaigns/{id}/winner', { params: { path: { id } }, body: { variant } }), {
    changes: ['campaigns'],
    done: t.variants.chosen(variant),
  })
  const ask = async () => {
    const isEarly = results.endsAt !== null && Date.parse(results.endsAt) > Date.now()
    const isSure = results.isClear && results.best === variant
    const text = [
      t.variants.chooseHint,
      ...(isEarly ? [t.variants.chooseEarly] : []),
      ...(isSure ? [] : [t.variants.chooseUnsure]),
    ].join(' ')
    if (await confirm({ title: t.variants.chooseTitle(variant), text, yes: t.variants.choose })) choose.mutate()
  }
  return (
    <Button
      size="xs"
      mt={6}
      variant={results.best === variant ? 'filled' : 'default'}
      aria-label={t.variants.chooseName(variant)}
      loading={choose.isPending}
      onClick={() => void ask()}
    >
      {t.variants.choose}
    </Button>
  )
}

/** A part of a test, as it is called. */
export function partName(variant: string, t: Texts): string {
  if (variant === 'rest') return t.variants.others
  return variant === 'held-out' ? t.variants.heldOut : t.variants.variant(variant)
}

function isVariant(part: Part['variant']): part is Name {
  return part !== 'rest' && part !== 'held-out'
}

function isGoing({ status }: Campaign): boolean {
  return status === 'SENDING' || status === 'PAUSED'
}

function needsPerson({ test, testing }: Campaign): boolean {
  return test?.winner === 'manual' || testing?.unclear === true
}

function metOf({ metric }: Results, t: Texts): string {
  return metric === 'opens' ? t.variants.met.opens : t.variants.met.clicks
}

/** The verdict of the figures, in plain words. */
function verdictIn({ variants, best, isClear }: Results, t: Texts): string {
  const { verdict } = t.variants
  if (variants.length === 1) return verdict.alone
  if (best === null) return verdict.nothing
  return isClear ? verdict.clear(best) : verdict.unclear(best)
}

/** Whether those who get nothing differ from the others. */
function heldOutIn({ metric, heldOut }: Results, t: Texts): string {
  const { verdict } = t.variants
  if (metric !== 'event') return verdict.needsEvent
  return (heldOut?.pValue ?? 1) <= ALPHA ? verdict.made : verdict.notMade
}

/** The reason why the campaign waits, and until when. */
function stateIn(campaign: Campaign, t: Texts, time: (at: string) => string): string {
  const { status, test, testing, variants = [] } = campaign
  const { state } = t.variants
  if (testing?.winner != null) return state[testing.chosenBy ?? 'person'](testing.winner)
  if (variants.length === 0) return ''
  if (test?.share === 100) return state.everybody
  if (testing?.whole) return state.whole
  if (status === 'CANCELLED') return state.cancelled
  if (status === 'PAUSED' && testing?.phase === 'waiting') return state.paused
  if (testing?.phase !== 'waiting' || testing.endsAt === null) return state.testing
  if (testing.unclear) return state.unclear
  const { endsAt } = testing
  if (test?.winner !== 'manual') return state.untilFigures(time(endsAt))
  return Date.parse(endsAt) > Date.now() ? state.untilPerson(time(endsAt)) : state.timeIsOver(time(endsAt))
}
