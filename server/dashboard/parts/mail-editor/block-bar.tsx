import { ActionIcon, Button, Group, Menu, Popover, Select, TextInput } from '@mantine/core'
import {
  IconAlignCenter,
  IconAlignLeft,
  IconAlignRight,
  IconArrowBackUp,
  IconArrowForwardUp,
  IconBold,
  IconBraces,
  IconItalic,
  IconLink,
  IconList,
  IconListNumbers,
  IconPlus,
  IconUnderline,
} from '@tabler/icons-react'
import type { ChainedCommands, Editor } from '@tiptap/core'
import { useEditorState } from '@tiptap/react'
import { type ReactNode, useState } from 'react'
import { useTexts } from '../../texts/texts.tsx'
import { useFormats } from '../formats.ts'
import type { Variable } from '../variables.ts'
import { addBlock } from './add-block.ts'
import { AssistMenu } from './assist-menu.tsx'
import { FieldName } from './field-name.tsx'
import classes from './mail-editor.module.css'
import { NEW_BLOCKS } from './new-blocks.ts'
import { sampleOf } from './shown-values.ts'
import { wholeAddress } from './whole-address.ts'

interface BarProps {
  readonly editor: Editor
  readonly variables: readonly Variable[]
}

const STYLES = ['paragraph', 'heading1', 'heading2', 'heading3', 'blockquote', 'codeBlock'] as const
type Style = (typeof STYLES)[number]

/** The formats of the chosen text, and the blocks that can be added to the mail. */
export function BlockBar({ editor, variables }: BarProps) {
  const t = useTexts()
  const formats = useFormats()
  const on = useEditorState({
    editor,
    selector: () => ({
      bold: editor.isActive('bold'),
      italic: editor.isActive('italic'),
      underline: editor.isActive('underline'),
      link: editor.isActive('link'),
      bulletList: editor.isActive('bulletList'),
      orderedList: editor.isActive('orderedList'),
      style: styleOf(editor),
      side: (['center', 'right'] as const).find((textAlign) => editor.isActive({ textAlign })) ?? 'left',
      canUndo: editor.can().undo(),
      canRedo: editor.can().redo(),
    }),
  })
  const act = (change: (chain: ChainedCommands) => ChainedCommands) => change(editor.chain().focus()).run()
  const tool = (
    label: string,
    icon: ReactNode,
    isOn: boolean | undefined,
    change: (chain: ChainedCommands) => ChainedCommands,
    disabled = false,
  ) => (
    <ActionIcon
      variant={isOn === true ? 'filled' : 'subtle'}
      color={isOn === true ? undefined : 'gray'}
      aria-label={label}
      title={label}
      aria-pressed={isOn}
      disabled={disabled}
      onClick={() => act(change)}
    >
      {icon}
    </ActionIcon>
  )
  return (
    <Group gap={4} className={classes.bar} role="toolbar" aria-label={t.editor.bar}>
      <Menu position="bottom-start" returnFocus={false}>
        <Menu.Target>
          <Button size="compact-sm" leftSection={<IconPlus size={14} />}>
            {t.editor.add}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {NEW_BLOCKS.map(({ name, icon: Icon, make }) => (
            <Menu.Item key={name} leftSection={<Icon size={14} />} onClick={() => addBlock(editor, make(t.editor))}>
              {t.editor.blocks[name]}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Menu position="bottom-start" returnFocus={false}>
        <Menu.Target>
          <Button size="compact-sm" variant="default" leftSection={<IconBraces size={14} />}>
            {t.editor.field}
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah={320} style={{ overflowY: 'auto' }}>
          {variables.map(({ name, label, coverage }) => (
            <Menu.Item
              key={name}
              rightSection={coverage === undefined ? undefined : formats.percent(coverage)}
              onClick={() => act((chain) => chain.insertContent({ type: 'variable', attrs: { field: name } }))}
            >
              <FieldName name={name} label={label} value={sampleOf(editor, name)} />
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <AssistMenu editor={editor} />
      <Select
        size="xs"
        w={140}
        aria-label={t.editor.style}
        data={STYLES.map((value) => ({ value, label: t.editor.styles[value] }))}
        allowDeselect={false}
        value={on.style}
        onChange={(value) => act((chain) => restyle(chain, value as Style))}
      />
      {tool(t.editor.bold, <IconBold size={16} />, on.bold, (chain) => chain.toggleBold())}
      {tool(t.editor.italic, <IconItalic size={16} />, on.italic, (chain) => chain.toggleItalic())}
      {tool(t.editor.underline, <IconUnderline size={16} />, on.underline, (chain) => chain.toggleUnderline())}
      <LinkTool editor={editor} isOn={on.link} />
      {tool(t.editor.bulletList, <IconList size={16} />, on.bulletList, (chain) => chain.toggleBulletList())}
      {tool(t.editor.orderedList, <IconListNumbers size={16} />, on.orderedList, (chain) => chain.toggleOrderedList())}
      {tool(t.editor.left, <IconAlignLeft size={16} />, on.side === 'left', (chain) => chain.setTextAlign('left'))}
      {tool(t.editor.center, <IconAlignCenter size={16} />, on.side === 'center', (chain) =>
        chain.setTextAlign('center'),
      )}
      {tool(t.editor.right, <IconAlignRight size={16} />, on.side === 'right', (chain) => chain.setTextAlign('right'))}
      {tool(t.editor.undo, <IconArrowBackUp size={16} />, undefined, (chain) => chain.undo(), !on.canUndo)}
      {tool(t.editor.redo, <IconArrowForwardUp size={16} />, undefined, (chain) => chain.redo(), !on.canRedo)}
    </Group>
  )
}

/** The address behind the chosen text; the fields of contacts may stand in it. */
function LinkTool({ editor, isOn }: { readonly editor: Editor; readonly isOn: boolean }) {
  const t = useTexts()
  const [href, setHref] = useState<string | undefined>()
  const set = (to: string) => {
    const chain = editor.chain().focus().extendMarkRange('link')
    if (to.trim() === '') chain.unsetLink().run()
    else chain.setLink({ href: wholeAddress(to) }).run()
    setHref(undefined)
  }
  return (
    <Popover opened={href !== undefined} onDismiss={() => setHref(undefined)} trapFocus>
      <Popover.Target>
        <ActionIcon
          variant={isOn ? 'filled' : 'subtle'}
          color={isOn ? undefined : 'gray'}
          aria-label={t.editor.link}
          title={t.editor.link}
          aria-pressed={isOn}
          onClick={() => setHref(String(editor.getAttributes('link').href ?? ''))}
        >
          <IconLink size={16} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown>
        <Group gap="xs" align="flex-end">
          <TextInput
            label={t.editor.address}
            placeholder={t.editor.addressHint}
            value={href ?? ''}
            onChange={({ currentTarget }) => setHref(currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return
              // the form around the editor would be saved
              event.preventDefault()
              set(href ?? '')
            }}
            data-autofocus
            w={260}
          />
          <Button onClick={() => set(href ?? '')}>{t.editor.setLink}</Button>
          {isOn ? (
            <Button variant="default" onClick={() => set('')}>
              {t.editor.noLink}
            </Button>
          ) : null}
        </Group>
      </Popover.Dropdown>
    </Popover>
  )
}

function styleOf(editor: Editor): Style {
  const level = ([1, 2, 3] as const).find((each) => editor.isActive('heading', { level: each }))
  if (level !== undefined) return `heading${level}`
  return (['blockquote', 'codeBlock'] as const).find((name) => editor.isActive(name)) ?? 'paragraph'
}

function restyle(chain: ChainedCommands, style: Style): ChainedCommands {
  if (style === 'blockquote') return chain.clearNodes().toggleBlockquote()
  if (style === 'codeBlock') return chain.clearNodes().toggleCodeBlock()
  const plain = chain.clearNodes().setParagraph()
  return style === 'paragraph' ? plain : plain.setHeading({ level: Number(style.slice(-1)) as 1 | 2 | 3 })
}
