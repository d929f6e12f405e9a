import { Alert, NumberInput, Paper, Select, Stack, TextInput } from '@mantine/core'
import { answerOf, type components } from '../api/client.ts'
import { useApi, useMay } from '../api/project.tsx'
import { useAdvice } from '../parts/advice.ts'
import type { Domain } from '../parts/dns-records.tsx'
import { FormBox, useForm } from '../parts/form.tsx'
import { SectionHead } from '../parts/section-head.tsx'
import { useTexts } from '../texts/texts.tsx'
import { useReports } from './queries.ts'

type Mode = components['schemas']['StsPolicy']['mode']
const DAY = 86_400
/** There is no policy. */
const OFF = ''

/** The MTA-STS policy of a domain, with what the TLS reports say of it. */
export function MtaSts({ domain: { id, mtaSts } }: { readonly domain: Domain }) {
  const t = useTexts()
  const api = useApi()
  const may = useMay()
  const say = useAdvice()
  const reports = useReports(id)
  const form = useForm({
    initial: {
      mode: (mtaSts?.mode ?? OFF) as Mode | '' | null,
      mx: mtaSts?.mx.join(', ') ?? '',
      maxAge: (mtaSts?.maxAge ?? 7 * DAY) / DAY,
    },
    save: ({ mode, mx, maxAge }) => {
      const names = mx.split(/[\s,]+/).filter(Boolean)
      const policy = { mode: mode || 'none', maxAge: Math.round(maxAge * DAY), ...(names.length > 0 && { mx: names }) }
      const body = { mtaSts: mode ? policy : null }
      return answerOf(api.PATCH('/domains/{id}', { params: { path: { id } }, body }))
    },
    onSaved({ mtaSts: saved }) {
      const { values, saved: sent } = form.current()
      // what was typed since stays
      if (values.mx === sent.mx) form.takeIn({ mx: saved?.mx.join(', ') ?? '' })
    },
    names: { mtaSts: 'mode', 'mtaSts.mode': 'mode', 'mtaSts.mx': 'mx', 'mtaSts.maxAge': 'maxAge' },
    changes: ['domains'],
    done: t.domains.saved,
  })
  if (!may.domains) return null
  const { advice = '', adviceCodes = [] } = reports.data?.tls ?? {}
  const [code] = adviceCodes
  const color = /^sts_(?:fix|failing)/.test(code?.code ?? '')
    ? 'red'
    : /^sts_(?:to|at)_/.test(code?.code ?? '')
      ? 'teal'
      : 'gray'
  const { modes } = t.domains
  return (
    <Paper withBorder p="md">
      <SectionHead title={t.domains.mtaSts} hint={t.domains.mtaStsHint} mb="md" />
      <Stack gap="md">
        {advice === '' ? null : (
          <Alert color={color} p="xs">
            {say(advice, adviceCodes)}
          </Alert>
        )}
        <FormBox form={form}>
          <Select
            label={t.domains.mode}
            allowDeselect={false}
            maw={480}
            data={[
              { value: OFF, label: t.domains.noPolicy },
              ...(['testing', 'enforce', 'none'] as const).map((value) => ({ value, label: modes[value] ?? value })),
            ]}
            {...form.field('mode')}
          />
          {form.values.mode ? (
            <>
              <TextInput
                label={t.domains.exchangers}
                description={t.domains.exchangersHint}
                maw={480}
                {...form.text('mx')}
              />
              <NumberInput
                label={t.domains.maxAge}
                description={t.domains.maxAgeHint}
                maw={480}
                min={1}
                max={365}
                {...form.field('maxAge')}
                onChange={(value) => form.set('maxAge', Number(value))}
              />
            </>
          ) : null}
        </FormBox>
      </Stack>
    </Paper>
  )
}
