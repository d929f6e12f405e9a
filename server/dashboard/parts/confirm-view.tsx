import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useFirstTexts } from '../texts/texts.tsx'
import { DANGER } from './danger.ts'
import { useOnceMounted } from './once-mounted.ts'
import type { Question } from './question.ts'

/** A question with its two answers. Of what cannot be taken back, the harmless answer is the one that stands out. */
export default function ConfirmView({
  question: { title, text, yes, no, grave = false },
  isOpen,
  onEnd,
}: {
  readonly question: Question
  readonly isOpen: boolean
  readonly onEnd: (yes: boolean) => void
}) {
  const t = useFirstTexts()
  return (
    <Modal
      opened={useOnceMounted(isOpen)}
      onClose={() => onEnd(false)}
      // here rather than at the window, so that the key never reaches a panel below once the question is gone
      closeOnEscape={false}
      onKeyDown={({ key, nativeEvent }) => (key === 'Escape' && !nativeEvent.isComposing ? onEnd(false) : undefined)}
      title={title}
      closeButtonProps={{ 'aria-label': t.anywhere.close }}
      centered
      zIndex={500}
    >
      <Stack>
        {text === undefined ? null : (
          <Text component="div">{typeof text === 'function' ? text(() => onEnd(false)) : text}</Text>
        )}
        <Group justify="flex-end">
          <Button
            variant={grave ? 'filled' : 'default'}
            onClick={() => onEnd(false)}
            data-autofocus={grave || undefined}
          >
            {no ?? t.anywhere.cancel}
          </Button>
          <Button
            variant={grave ? 'outline' : 'filled'}
            color={grave ? DANGER : undefined}
            onClick={() => onEnd(true)}
            data-autofocus={!grave || undefined}
          >
            {yes}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
