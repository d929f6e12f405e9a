import { Button, Menu } from '@mantine/core'
import { IconSparkles } from '@tabler/icons-react'
import type { Editor } from '@tiptap/core'
import { useState } from 'react'
import { useMay } from '../../api/project.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { AskTexts, type TextQuestion } from '../assistant/ask-texts.tsx'
import { useHasAssistant } from '../assistant/use-assistant.ts'
import { languageName, MAIL_LANGUAGES } from '../mail-languages.ts'
import { useNotices } from '../notices.ts'
import { replaceTexts, type TextPiece, textsIn } from './chosen-texts.ts'

const TASKS = ['shorter', 'friendlier', 'translate'] as const

/** Has the chosen texts changed by the assistant, or all of the mail when none are chosen. It can be undone as what is typed. */
export function AssistMenu({ editor }: { readonly editor: Editor }) {
  const t = useTexts()
  const may = useMay()
  const notices = useNotices()
  const hasAssistant = useHasAssistant()
  const [asked, setAsked] = useState<{ readonly pieces: readonly TextPiece[]; readonly question: TextQuestion }>()
  if (!hasAssistant || !may.templates) return null
  const ask = (task: (typeof TASKS)[number], language?: (typeof MAIL_LANGUAGES)[number]) => {
    const pieces = textsIn(editor)
    if (pieces.length === 0) return notices.done(t.assistant.noTexts)
    const texts = pieces.map(({ html }) => html)
    setAsked({ pieces, question: { task, texts, ...(language === undefined ? {} : { language }) } })
  }
  return (
    <>
      <Menu position="bottom-start" returnFocus={false}>
        <Menu.Target>
          <Button size="compact-sm" variant="default" leftSection={<IconSparkles size={14} />}>
            {t.assistant.title}
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah={360} style={{ overflowY: 'auto' }}>
          <Menu.Item onClick={() => ask('shorter')}>{t.assistant.tasks.shorter}</Menu.Item>
          <Menu.Item onClick={() => ask('friendlier')}>{t.assistant.tasks.friendlier}</Menu.Item>
          <Menu.Label>{t.assistant.tasks.translate}</Menu.Label>
          {MAIL_LANGUAGES.map((language) => (
            <Menu.Item key={language} onClick={() => ask('translate', language)}>
              {languageName(language)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <AskTexts
        question={asked?.question}
        onClose={() => setAsked(undefined)}
        onChanged={({ texts, kept }) => {
          if (asked === undefined) return
          const changed = replaceTexts(editor, asked.pieces, texts)
          notices.done(kept.length === 0 && changed ? t.assistant.changed : t.assistant.someKept)
        }}
      />
    </>
  )
}
