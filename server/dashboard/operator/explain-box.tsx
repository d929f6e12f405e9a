import { Group, Paper, Select, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useAsk } from '../api/ask.ts'
import { answerOf, type components } from '../api/client.ts'
import { useApi } from '../api/project.tsx'
import { FormBox, useForm } from '../parts/form.tsx'
import { objectOf, type Pair } from '../parts/pairs.ts'
import { PairsInput } from '../parts/pairs-input.tsx'
import { Named, RouteExplained } from '../parts/routes/route-explained.tsx'
import { useTexts } from '../texts/texts.tsx'

type Explained = components['schemas']['RouteExplained']
type Class = components['schemas']['EmailRoute']['class']

interface Values {
  readonly from: string
  readonly to: string
  readonly class: string
  readonly project: string
  readonly transport: string
  readonly tags: readonly Pair[]
  readonly headers: readonly Pair[]
}

/** Which way a mail would go that is described here. Nothing is sent, and an answer goes when its question is changed. */
export function ExplainBox() {
  const t = useTexts()
  const api = useApi()
  const [found, setFound] = useState<Explained | undefined>()
  const state = useAsk(['operator'], (asked, signal) => asked.GET('/users/@me/operator', { signal }))
  const form = useForm<Values, Explained>({
    initial: { from: '', to: '', class: 'transactional', project: '', transport: '', tags: [], headers: [] },
    save: ({ from, to, class: kind, project, transport, tags, headers }) => {
      const body = {
        from: from.trim(),
        to: to.trim(),
        class: kind as Class,
        ...(project === '' ? {} : { project }),
        ...(transport.trim() === '' ? {} : { transport: transport.trim() }),
        tags: textsOf(objectOf(tags, t.routes.tags, t)),
        headers: textsOf(objectOf(headers, t.routes.headers, t)),
      }
      return answerOf(api.POST('/users/@me/operator/routes/explain', { body }))
    },
    guard: false,
    onSaved: setFound,
  })
  return (
    <Paper withBorder p="md">
      <FormBox form={form} submit={t.routes.ask} always>
        <Group grow align="flex-start" preventGrowOverflow={false}>
          <TextInput label={t.routes.from} type="email" placeholder="news@example.com" {...form.text('from')} />
          <TextInput label={t.routes.recipient} type="email" placeholder="ada@example.org" {...form.text('to')} />
        </Group>
        <Group grow align="flex-start" preventGrowOverflow={false}>
          <Select
            label={t.routes.class}
            data={Object.entries(t.routes.classes).map(([value, label]) => ({ value, label }))}
            allowDeselect={false}
            value={form.values.class}
            onChange={(value) => value && form.set('class', value)}
          />
          <Select
            label={t.operator.project}
            data={[...new Set((state.data?.projects ?? []).map(({ name }) => name))]}
            clearable
            searchable
            value={form.values.project || null}
            onChange={(value) => form.set('project', value ?? '')}
          />
          <TextInput label={t.routes.namedInRequest} {...form.text('transport')} />
        </Group>
        <PairsInput
          label={t.routes.tags}
          description={t.routes.tagsHint}
          onlyTexts
          value={form.values.tags}
          onChange={(tags) => form.set('tags', tags)}
        />
        <PairsInput
          label={t.routes.headers}
          description={t.routes.headersHint}
          onlyTexts
          value={form.values.headers}
          onChange={(headers) => form.set('headers', headers)}
        />
        {found === undefined || form.isChanged ? null : (
          <div role="status">
            {found.toSimulator ? (
              t.routes.ways.simulator
            ) : found.toOwn && !found.named?.counts ? (
              <>
                <Named named={found.named} />
                {`${t.routes.ways.own} ${t.routes.tries(found.transports)}`}
              </>
            ) : (
              <RouteExplained route={found} />
            )}
          </div>
        )}
      </FormBox>
    </Paper>
  )
}

function textsOf(given: Readonly<Record<string, unknown>> | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(given ?? {}).map(([name, value]) => [name, String(value)]))
}
