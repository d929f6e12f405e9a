import { ActionIcon, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { fieldLabel } from '../parts/field-label.ts'
import { useTexts } from '../texts/texts.tsx'

/** The fields of a contact, each edited where it stands. */
export function DataFields({
  values,
  onChange,
  readOnly,
  errorOf,
}: {
  readonly values: Readonly<Record<string, string>>
  readonly onChange: (values: Record<string, string>) => void
  readonly readOnly: boolean
  readonly errorOf: (key: string) => string | undefined
}) {
  const t = useTexts()
  const [name, setName] = useState('')
  const names = Object.keys(values)
  const add = () => {
    const key = name.trim()
    if (key === '' || key in values) return
    onChange({ ...values, [key]: '' })
    setName('')
  }
  return (
    <Stack gap="xs">
      <Text fw={600} size="sm">
        {t.contacts.fields}
      </Text>
      {names.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t.contacts.noFields}
        </Text>
      ) : null}
      {names.map((key) => (
        <Group key={key} gap="xs" align="flex-end" wrap="nowrap">
          <TextInput
            label={fieldLabel(key, t)}
            name={key}
            flex={1}
            readOnly={readOnly}
            value={values[key]}
            onChange={({ currentTarget }) => onChange({ ...values, [key]: currentTarget.value })}
            error={errorOf(key)}
          />
          {readOnly ? null : (
            <ActionIcon
              variant="subtle"
              color="gray"
              mb={4}
              aria-label={t.contacts.removeField(fieldLabel(key, t))}
              onClick={() => onChange(Object.fromEntries(Object.entries(values).filter(([each]) => each !== key)))}
            >
              <IconTrash size={16} />
            </ActionIcon>
          )}
        </Group>
      ))}
      {readOnly ? null : (
        <Group gap="xs" align="flex-end" wrap="nowrap">
          <TextInput
            label={t.contacts.addField}
            description={t.contacts.json}
            placeholder={t.contacts.fieldName}
            flex={1}
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return
              event.preventDefault()
              add()
            }}
          />
          <Button variant="default" leftSection={<IconPlus size={14} />} onClick={add}>
            {t.anywhere.add}
          </Button>
        </Group>
      )}
    </Stack>
  )
}
