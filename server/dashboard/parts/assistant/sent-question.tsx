import { Accordion, Code, Text } from '@mantine/core'
import type { components } from '../../api/client.ts'
import { useTexts } from '../../texts/texts.tsx'

/** The whole request as it goes to the model, behind a line that says where it goes. */
export function SentQuestion({ sent }: { readonly sent: components['schemas']['SentQuestion'] | undefined }) {
  const t = useTexts()
  return (
    <Accordion variant="contained">
      <Accordion.Item value="sent">
        <Accordion.Control>{t.assistant.whatIsSent}</Accordion.Control>
        <Accordion.Panel>
          {sent === undefined ? null : (
            <>
              <Text size="sm" c="dimmed" mb="xs">
                {t.assistant.goesTo(sent.host, sent.model)}
              </Text>
              <Code block tabIndex={0} mah={320} style={{ overflow: 'auto', whiteSpace: 'pre-wrap' }}>
                {sent.request}
              </Code>
            </>
          )}
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  )
}
