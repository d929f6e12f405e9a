import { ActionIcon, Menu } from '@mantine/core'
import { IconSparkles } from '@tabler/icons-react'
import { useState } from 'react'
import { useMay } from '../../api/project.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { AskTexts, type TextQuestion } from '../assistant/ask-texts.tsx'
import { useHasAssistant } from '../assistant/use-assistant.ts'

/** How much of a mail goes to the model for its subject, in characters. */
const MOST = 20_000

/** Has subjects proposed for a mail, of which one is chosen. */
export function SubjectIdeas({
  body,
  onChoose,
}: {
  readonly body: string
  readonly onChoose: (subject: string) => void
}) {
  const t = useTexts()
  const may = useMay()
  const hasAssistant = useHasAssistant()
  const [question, setQuestion] = useState<TextQuestion>()
  const [ideas, setIdeas] = useState<readonly string[]>([])
  if (!hasAssistant || !may.templates) return null
  const ask = () => {
    const text = textOf(body)
    if (text !== '') setQuestion({ task: 'subjects', texts: [text] })
  }
  return (
    <>
      <Menu opened={ideas.length > 0} onClose={() => setIdeas([])} position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t.assistant.tasks.subjects}
            title={t.assistant.tasks.subjects}
            onClick={ask}
          >
            <IconSparkles size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {ideas.map((idea) => (
            <Menu.Item key={idea} onClick={() => onChoose(idea)}>
              {idea}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <AskTexts question={question} onClose={() => setQuestion(undefined)} onChanged={({ texts }) => setIdeas(texts)} />
    </>
  )
}

/** The words of a mail. */
function textOf(body: string): string {
  const page = new DOMParser().parseFromString(body, 'text/html')
  for (const each of page.querySelectorAll('style, script')) each.remove()
  return (page.body.textContent ?? '').replace(/\s+/g, ' ').trim().slice(0, MOST)
}
