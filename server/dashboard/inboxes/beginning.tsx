import { Mark, Text } from '@mantine/core'
import type { components } from '../api/client.ts'

/** The beginning of a conversation's last message, or what was searched for in its sentence. */
export function Beginning({
  snippet,
  excerpt,
}: {
  readonly snippet: string
  readonly excerpt?: components['schemas']['FoundThread']['excerpt'] | undefined
}) {
  return (
    <Text size="sm" c="dimmed" lineClamp={excerpt ? 2 : 1}>
      {excerpt
        ? excerpt.map(({ text, found }, at) =>
            found ? (
              <Mark key={at} fw={600}>
                {text}
              </Mark>
            ) : (
              text
            ),
          )
        : snippet}
    </Text>
  )
}
