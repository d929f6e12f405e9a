import { Alert, Blockquote, Button, Group, Text } from '@mantine/core'
import { useAct } from '../api/ask.ts'
import { useMay } from '../api/project.tsx'
import { useFormats } from '../parts/formats.ts'
import { useTexts } from '../texts/texts.tsx'
import type { Campaign } from './queries.ts'

/** A campaign that was paused for its refusals asks what becomes of the mails that were refused. */
export function BrakeQuestion({
  id,
  braked,
}: {
  readonly id: string
  readonly braked: NonNullable<Campaign['braked']>
}) {
  const t = useTexts()
  const formats = useFormats()
  const may = useMay()
  const resume = useAct(
    (api, bounces: 'accept' | 'retry') =>
      api.POST('/campaigns/{id}/resume', { params: { path: { id } }, body: { bounces } }),
    { changes: ['campaigns'], done: t.campaigns.resumed },
  )
  const choices = [
    { bounces: 'retry', title: t.campaigns.brakeRetry, hint: t.campaigns.brakeRetryHint },
    { bounces: 'accept', title: t.campaigns.brakeAccept, hint: t.campaigns.brakeAcceptHint },
  ] as const
  return (
    <Alert color="red" title={t.campaigns.brakeTitle}>
      <Text size="sm">{t.campaigns.brakeHint(formats.number(braked.refused), formats.number(braked.answers))}</Text>
      <Blockquote my="sm" p="sm" color="red" fz="sm">
        {braked.reply}
      </Blockquote>
      {may.campaigns ? (
        <Group align="flex-start">
          {choices.map(({ bounces, title, hint }) => (
            <div key={bounces}>
              <Button
                variant={bounces === 'retry' ? 'filled' : 'default'}
                loading={resume.isPending && resume.variables === bounces}
                onClick={() => resume.mutate(bounces)}
              >
                {title}
              </Button>
              <Text size="xs" mt={4} maw="40ch">
                {hint}
              </Text>
            </div>
          ))}
        </Group>
      ) : null}
    </Alert>
  )
}
