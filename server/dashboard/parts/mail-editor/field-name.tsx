import { Text } from '@mantine/core'

/** A field as people call it, with what the chosen contact has there, and the name that programs use. */
export function FieldName({
  name,
  label,
  value = '',
}: {
  readonly name: string
  readonly label: string
  readonly value?: string
}) {
  return (
    <>
      {label}
      {value === '' ? null : (
        <Text span size="sm" c="dimmed">
          {' '}
          – {value}
        </Text>
      )}
      <Text size="xs" c="dimmed" ff="monospace">
        {name}
      </Text>
    </>
  )
}
