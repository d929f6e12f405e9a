import { Select, type SelectProps } from '@mantine/core'
import { useProject } from '../api/project.tsx'
import { useTexts } from '../texts/texts.tsx'

/** Chooses the mail server that mail goes by, or none. Where the project may name none, there is nothing to choose. */
export function TransportSelect({
  value,
  onChange,
  error,
}: Pick<SelectProps, 'error'> & {
  /** Empty for the usual way. */
  readonly value: string
  readonly onChange: (name: string) => void
}) {
  const t = useTexts()
  const { mayName } = useProject()
  if (mayName.length === 0 && value === '') return null
  const gone = value === '' || mayName.includes(value) ? [] : [{ value, label: t.routes.serverGone(value) }]
  return (
    <Select
      label={t.routes.server}
      description={t.routes.serverHint}
      data={[
        { value: '', label: t.routes.usualWay },
        ...mayName.map((name) => ({ value: name, label: name })),
        ...gone,
      ]}
      value={value}
      onChange={(name) => onChange(name ?? '')}
      allowDeselect={false}
      error={error}
      maw={560}
    />
  )
}
