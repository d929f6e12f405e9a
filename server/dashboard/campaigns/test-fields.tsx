import { Alert, Autocomplete, Button, Checkbox, Fieldset, Group, NumberInput, Select, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { isTooSmall } from '../../../core/campaigns/variants/test-size.ts'
import { useAct, useAsk } from '../api/ask.ts'
import type { components } from '../api/client.ts'
import { useFormats } from '../parts/formats.ts'
import { wordsOf } from '../parts/refusals.tsx'
import { useTexts } from '../texts/texts.tsx'
import type { Texts } from '../texts/types.ts'
import { type Campaign, VARIANTS } from './queries.ts'

type Test = components['schemas']['VariantTest']

/** The API's defaults of a test. */
const DEFAULTS: Test = {
  share: 20,
  holdOut: 0,
  metric: 'clicks',
  hours: 4,
  winner: 'automatic',
  whenUnclear: 'wait',
}
/** How many percent get nothing when a campaign without variants is to be compared with them. */
const USUAL_HOLD_OUT = 10

/** How the variants of a draft are tested. It is saved by itself, as the plan is. */
export function TestFields({
  campaign,
  recipients,
  onDirty,
}: {
  readonly campaign: Campaign
  readonly recipients: number
  readonly onDirty: (is: boolean) => void
}) {
  const t = useTexts()
  const formats = useFormats()
  const words = t.variants.settings
  const count = 1 + (campaign.variants?.length ?? 0)
  const isCompared = count > 1
  const [test, setTest] = useState<Test>(campaign.test ?? DEFAULTS)
  const [isOn, setOn] = useState(campaign.test !== undefined)
  const names = useAsk(['events', 'names'], (api, signal) => api.GET('/events/names', { signal }), {
    enabled: test.metric === 'event',
  })
  const save = useAct(
    (api, kept: Test | null) =>
      api.PUT('/campaigns/{id}', { params: { path: { id: campaign.id } }, body: { test: kept } }),
    { changes: ['campaigns'], onDone: () => onDirty(false), quiet: true },
  )
  const put = (change: Partial<Test>) => {
    const { event, ...rest } = { ...test, ...change }
    setTest(rest.metric === 'event' ? { ...rest, event: event ?? '' } : rest)
    save.reset()
    onDirty(true)
  }
  return (
    <Fieldset legend={t.variants.title}>
      <Stack>
        {isCompared ? null : (
          <Checkbox
            label={words.on}
            checked={isOn}
            onChange={({ currentTarget: { checked } }) => {
              setOn(checked)
              if (checked) put({ holdOut: test.holdOut || USUAL_HOLD_OUT })
              else {
                if (campaign.test !== undefined) save.mutate(null)
                onDirty(false)
              }
            }}
          />
        )}
        {isCompared || isOn ? (
          <>
            <Group align="flex-start">
              {isCompared ? (
                <NumberInput
                  label={words.share}
                  description={words.shareHint}
                  value={test.share}
                  min={1}
                  max={100}
                  allowDecimal={false}
                  onChange={(value) => put({ share: Number(value) || 1 })}
                  maw={300}
                />
              ) : null}
              <NumberInput
                label={words.holdOut}
                description={words.holdOutHint}
                value={test.holdOut}
                max={50}
                min={isCompared ? 0 : 1}
                allowDecimal={false}
                onChange={(value) => put({ holdOut: Number(value) || 0 })}
                maw={300}
              />
            </Group>
            <Group align="flex-start">
              <Select
                label={words.metric}
                data={(['opens', 'clicks', 'event'] as const).map((value) => ({ value, label: words.metrics[value] }))}
                allowDeselect={false}
                value={test.metric}
                onChange={(metric) => put({ metric: (metric ?? 'clicks') as Test['metric'] })}
              />
              {test.metric === 'event' ? (
                <Autocomplete
                  label={words.event}
                  required
                  data={names.data?.eventNames ?? []}
                  limit={20}
                  maxLength={255}
                  value={test.event ?? ''}
                  onChange={(event) => put({ event })}
                />
              ) : null}
            </Group>
            {isCompared && test.share < 100 ? (
              <Group align="flex-start">
                <NumberInput
                  label={words.hours}
                  description={words.hoursHint}
                  value={test.hours}
                  min={1}
                  max={336}
                  allowDecimal={false}
                  onChange={(value) => put({ hours: Number(value) || 1 })}
                  maw={300}
                />
                <Select
                  label={words.winner}
                  data={(['automatic', 'manual'] as const).map((value) => ({ value, label: words.winners[value] }))}
                  allowDeselect={false}
                  value={test.winner}
                  onChange={(winner) => put({ winner: (winner ?? 'automatic') as Test['winner'] })}
                />
                {test.winner === 'automatic' ? (
                  <Select
                    label={words.whenUnclear}
                    data={(['wait', 'best'] as const).map((value) => ({ value, label: words.unclears[value] }))}
                    allowDeselect={false}
                    value={test.whenUnclear}
                    onChange={(chosen) => put({ whenUnclear: (chosen ?? 'wait') as Test['whenUnclear'] })}
                  />
                ) : null}
              </Group>
            ) : null}
            <Text size="sm" aria-live="polite">
              {testSentence(test, { count, recipients }, t, formats)}
            </Text>
            {save.error ? (
              <Alert color="red" role="alert">
                {wordsOf(save.error, t).message}
              </Alert>
            ) : null}
            <Group>
              <Button variant="default" loading={save.isPending} onClick={() => save.mutate(test)}>
                {words.save}
              </Button>
              <Text size="sm" c="dimmed" role="status">
                {save.isSuccess ? words.saved : ''}
              </Text>
            </Group>
          </>
        ) : null}
      </Stack>
    </Fieldset>
  )
}

/** The test in plain words, and about how many get what. */
function testSentence(
  { share, holdOut, hours, winner, whenUnclear }: Test,
  { count, recipients }: { readonly count: number; readonly recipients: number },
  t: Texts,
  { number, lasting }: ReturnType<typeof useFormats>,
): string {
  const { sentence } = t.variants.settings
  const without = Math.round((recipients * holdOut) / 100)
  const getAny = recipients - without
  const nothing = holdOut > 0 ? [sentence.nothing(number(without))] : []
  if (count === 1) return [sentence.alone(number(getAny)), ...nothing].join(' ')
  if (isTooSmall({ share, holdOut, variants: count }, recipients))
    return [sentence.tooFew(number(Math.round(getAny / count))), ...nothing].join(' ')
  const inTest = Math.round((getAny * share) / 100)
  const others = number(getAny - inTest)
  const each = sentence.each(VARIANTS.slice(0, count).join(', '), number(Math.round(inTest / count)))
  const rest =
    share === 100
      ? [sentence.noRest]
      : winner === 'manual'
        ? [sentence.person(others)]
        : [
            sentence.figures(lasting(hours, 'hours'), others),
            whenUnclear === 'wait' ? sentence.orPerson : sentence.orBest,
          ]
  return [each, ...rest, ...nothing].join(' ')
}
