import { Anchor, Select, type SelectProps } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { Link } from 'wouter'
import { useAsk } from '../api/ask.ts'
import { useProjectId } from '../api/project.tsx'
import { toProject } from '../shell/to-app.ts'
import { useTexts } from '../texts/texts.tsx'

/** How many are offered at once: the newest, or those that a search finds. */
const OFFERED = 100

/** Chooses a template, found by a part of its name or subject, however many there are. */
export function TemplateSelect({
  value,
  onChange,
  ...props
}: Pick<SelectProps, 'label' | 'description' | 'error' | 'clearable'> & {
  /** Empty while none is chosen. */
  readonly value: string
  readonly onChange: (id: string) => void
}) {
  const t = useTexts()
  const project = useProjectId()
  const [typed, setTyped] = useState('')
  const [waited] = useDebouncedValue(typed, 200)
  const chosen = useAsk(
    ['templates', value],
    (api, signal) => api.GET('/templates/{id}', { params: { path: { id: value } }, signal }),
    { enabled: value !== '' },
  )
  // what is chosen stands in the field, and is no search
  const search = waited === chosen.data?.name ? '' : waited
  const found = useAsk(
    ['templates', 'choice', search],
    (api, signal) =>
      api.GET('/templates', { params: { query: { limit: OFFERED, ...(search === '' ? {} : { search }) } }, signal }),
    { keep: true },
  )
  const names = new Map((found.data?.templates ?? []).map(({ id, name }) => [id, name]))
  if (chosen.data) names.set(chosen.data.id, chosen.data.name)
  const select = (
    <Select
      {...props}
      data={[...names].map(([id, name]) => ({ value: id, label: name }))}
      value={value === '' ? null : value}
      onChange={(id) => onChange(id ?? '')}
      onSearchChange={setTyped}
      searchable
      filter={({ options }) => options}
      nothingFoundMessage={t.anywhere.nothingFound}
    />
  )
  if (chosen.data === undefined || value === '') return select
  return (
    <div>
      {select}
      <Anchor component={Link} href={toProject(project, `/templates/${value}`)} size="sm">
        {chosen.data.name}
      </Anchor>
    </div>
  )
}
