import { Group, SegmentedControl, Switch, Text } from '@mantine/core'
import { useTexts } from '../../texts/texts.tsx'
import type { MailFormat, MailSource } from './written.ts'

const FORMATS = ['HTML', 'MJML', 'MARKDOWN'] as const

/** The format a mail is written in, and whether its CSS is written into its elements. HTML with neither is a body alone. */
export function FormatChoice({
  source,
  text,
  onChange,
}: {
  readonly source: MailSource | null
  /** The source as it is now. */
  readonly text: string
  readonly onChange: (source: MailSource | null) => void
}) {
  const t = useTexts()
  const format = source?.format ?? 'HTML'
  const inlineCss = source?.inlineCss === true
  const choose = (chosen: MailFormat, inlined: boolean) =>
    onChange(chosen === 'HTML' && !inlined ? null : { format: chosen, text, ...(inlined ? { inlineCss: true } : {}) })
  return (
    <div>
      <Group gap="md">
        <SegmentedControl
          aria-label={t.editor.format}
          size="xs"
          value={format}
          onChange={(chosen) => choose(chosen as MailFormat, inlineCss)}
          data={FORMATS.map((value) => ({ value, label: t.editor.formats[value] }))}
        />
        <Switch
          label={t.editor.inlineCss}
          checked={inlineCss}
          onChange={({ currentTarget }) => choose(format, currentTarget.checked)}
        />
      </Group>
      <Text size="xs" c="dimmed" mt={4}>
        {t.editor.formatHints[format]}
      </Text>
    </div>
  )
}
