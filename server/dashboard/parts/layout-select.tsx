import { Select, type SelectProps } from '@mantine/core'
import { useAsk } from '../api/ask.ts'
import { useTexts } from '../texts/texts.tsx'

/** How many layouts are offered. */
const OFFERED = 100

/** The value of the choice to have the layout of another mail. */
export const SAME_LAYOUT = 'same'

/** Chooses the layout around a mail's body, or none. Where the project has none, there is nothing to choose. */
export function LayoutSelect({
  value,
  onChange,
  same,
  error,
}: Pick<SelectProps, 'error'> & {
  /** Empty for none. */
  readonly value: string
  readonly onChange: (id: string) => void
  /** The label of the choice `SAME_LAYOUT`, where it is offered. */
  readonly same?: string
}) {
  const t = useTexts()
  const layouts = useAsk(['layouts', 'choice'], (api, signal) =>
    api.GET('/layouts', { params: { query: { limit: OFFERED } }, signal }),
  )
  const found = layouts.data?.data ?? []
  if (found.length === 0 && (value === '' || value === SAME_LAYOUT)) return null
  return (
    <Select
      label={t.pieces.layout}
      description={t.pieces.layoutHint}
      data={[
        ...(same === undefined ? [] : [{ value: SAME_LAYOUT, label: same }]),
        { value: '', label: t.pieces.noLayout },
        ...found.map(({ id, name }) => ({ value: id, label: name })),
      ]}
      value={value}
      onChange={(id) => onChange(id ?? '')}
      allowDeselect={false}
      error={error}
      maw={560}
    />
  )
}
