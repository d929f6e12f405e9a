import { ActionIcon, Code, CopyButton, Group, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy, IconTerminal2 } from '@tabler/icons-react'
import { apiUrl } from '../api/base.ts'
import { useProjectId } from '../api/project.tsx'
import { useTexts } from '../texts/texts.tsx'

/** Copies a text. */
export function Copy({ value, label }: { readonly value: string; readonly label?: string }) {
  const t = useTexts()
  const what = label ?? t.anywhere.copy
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? t.anywhere.copied : what}>
          <ActionIcon variant="subtle" color={copied ? 'teal' : 'gray'} onClick={copy} aria-label={what}>
            {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  )
}

/** A link to pass on, whole, beside what copies it. */
export function LinkToCopy(props: { readonly value: string; readonly label: string }) {
  return (
    <Group gap={4} wrap="nowrap" align="flex-start">
      <Code block style={{ overflowWrap: 'anywhere', whiteSpace: 'normal' }}>
        {props.value}
      </Code>
      <Copy {...props} />
    </Group>
  )
}

/**
 * Copies the curl line that asks for what the page shows. A phone, where it would not be pasted, has no room for it.
 */
export function CopyCurl({
  path,
  method = 'GET',
  body,
}: {
  readonly path: string
  readonly method?: string
  readonly body?: unknown
}) {
  const t = useTexts()
  const project = useProjectId()
  const line = [
    'curl',
    method === 'GET' ? '' : `-X ${method}`,
    quoted(apiUrl(path)),
    `-H "Authorization: Bearer $MAILWRIGHT_KEY"`,
    body === undefined ? '' : `-H 'Content-Type: application/json' -d ${quoted(JSON.stringify(body))}`,
  ]
  return (
    <CopyButton value={`${line.filter(Boolean).join(' ')}  # project ${project}`}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? t.anywhere.copied : t.anywhere.copyAsCurl}>
          <ActionIcon
            variant="subtle"
            visibleFrom="xs"
            color={copied ? 'teal' : 'gray'}
            onClick={copy}
            aria-label={t.anywhere.copyAsCurl}
          >
            {copied ? <IconCheck size={16} /> : <IconTerminal2 size={16} />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  )
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
