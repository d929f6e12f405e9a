import {
  ActionIcon,
  Box,
  Button,
  Checkbox,
  Group,
  Menu,
  Paper,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconGripVertical, IconPlus, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import type { Form } from '../parts/form.tsx'
import { useTexts } from '../texts/texts.tsx'
import { FIELD_TYPES, type FieldValues, type FormValues, keyFor, moved, newField } from './form-values.ts'

/** The most fields a form has. */
const MOST = 20

/** The fields of a form, put in order by dragging and by buttons. */
export function FieldList({ form }: { readonly form: Form<FormValues> }) {
  const t = useTexts()
  const [dragged, setDragged] = useState<number>()
  const { fields } = form.values
  const set = (changed: readonly FieldValues[]) => form.set('fields', changed)
  const problem = form.errorOf('fields')
  return (
    <Stack gap="xs" component="section" aria-label={t.forms.fields}>
      <Text fw={600}>{t.forms.fields}</Text>
      <Text size="sm" c="dimmed">
        {t.forms.fieldsHint}
      </Text>
      {fields.map((field, at) => (
        <Paper
          key={field.row}
          withBorder
          p="sm"
          onDragOver={(event) => {
            if (dragged === undefined) return
            event.preventDefault()
            if (dragged !== at) {
              set(moved(fields, dragged, at))
              setDragged(at)
            }
          }}
          onDrop={(event) => event.preventDefault()}
        >
          <Group gap={4} mb="xs" wrap="nowrap">
            <Box
              draggable
              style={{ cursor: 'grab', display: 'flex' }}
              onDragStart={(event) => {
                event.dataTransfer.setData('text/plain', field.key)
                setDragged(at)
              }}
              onDragEnd={() => setDragged(undefined)}
              aria-hidden
            >
              <IconGripVertical size={16} />
            </Box>
            <Text size="sm" fw={500} style={{ flex: 1 }} truncate>
              {field.label || field.key} · {t.forms.types[field.type]}
            </Text>
            <Tool label={t.forms.up(field.label || field.key)} off={at === 0} on={() => set(moved(fields, at, at - 1))}>
              <IconArrowUp size={16} />
            </Tool>
            <Tool
              label={t.forms.down(field.label || field.key)}
              off={at === fields.length - 1}
              on={() => set(moved(fields, at, at + 1))}
            >
              <IconArrowDown size={16} />
            </Tool>
            <Tool label={t.forms.removeField(field.label || field.key)} on={() => set(fields.toSpliced(at, 1))}>
              <IconTrash size={16} />
            </Tool>
          </Group>
          <FieldForm
            field={field}
            keyOf={(label) => keyFor(label, field, fields)}
            errorOf={(name) => form.errorOf(`fields.${at}.${name}`)}
            put={(changed) => set(fields.with(at, Object.assign({}, field, changed)))}
          />
        </Paper>
      ))}
      {problem === undefined ? null : (
        <Text c="red" size="sm" role="alert">
          {problem}
        </Text>
      )}
      <Menu>
        <Menu.Target>
          <Button
            variant="light"
            size="xs"
            w="fit-content"
            leftSection={<IconPlus size={14} />}
            disabled={fields.length >= MOST}
          >
            {t.forms.addField}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {FIELD_TYPES.map((type) => (
            <Menu.Item key={type} onClick={() => set([...fields, newField(type, fields)])}>
              {t.forms.types[type]}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </Stack>
  )
}

function Tool({
  label,
  off = false,
  on,
  children,
}: {
  readonly label: string
  readonly off?: boolean
  readonly on: () => void
  readonly children: React.ReactNode
}) {
  // one that is off keeps the focus, so that the key pressed once too often leads nowhere else
  return (
    <ActionIcon variant="subtle" color="gray" aria-label={label} aria-disabled={off} onClick={off ? undefined : on}>
      {children}
    </ActionIcon>
  )
}

function FieldForm({
  field: { type, key, label, required, options, value },
  keyOf,
  errorOf,
  put,
}: {
  readonly field: FieldValues
  /** The key for a label that is being written. */
  readonly keyOf: (label: string) => string
  readonly errorOf: (name: string) => string | undefined
  readonly put: (changed: Partial<FieldValues>) => void
}) {
  const t = useTexts()
  return (
    <Stack gap="xs">
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs">
        {type === 'hidden' ? (
          <TextInput
            label={t.forms.value}
            value={value}
            onChange={(event) => put({ value: event.currentTarget.value })}
            error={errorOf('value')}
          />
        ) : (
          <TextInput
            label={t.forms.label}
            value={label}
            onChange={({ currentTarget: { value: written } }) => put({ label: written, key: keyOf(written) })}
            error={errorOf('label')}
          />
        )}
        <TextInput
          label={t.forms.key}
          description={t.forms.keyHint}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          required
          value={key}
          onChange={(event) => put({ key: event.currentTarget.value })}
          error={errorOf('key')}
        />
      </SimpleGrid>
      {type === 'choice' ? (
        <Textarea
          label={t.forms.options}
          autosize
          minRows={2}
          required
          value={options}
          onChange={(event) => put({ options: event.currentTarget.value })}
          error={errorOf('options')}
        />
      ) : null}
      {type === 'hidden' ? null : (
        <Checkbox
          label={t.forms.required}
          checked={required}
          onChange={(event) => put({ required: event.currentTarget.checked })}
        />
      )}
    </Stack>
  )
}
