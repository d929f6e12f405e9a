import { Button, Menu } from '@mantine/core'
import { IconCopy, IconDots, IconTrash } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useLocation } from 'wouter'
import { type Act, useAct } from '../api/ask.ts'
import { useTexts } from '../texts/texts.tsx'
import { useConfirm } from './confirm.tsx'
import { DANGER } from './danger.ts'
import type { Question } from './question.ts'
import { forgetUnsaved } from './unsaved.tsx'

/** Deletes the thing that a page is about, after a question. */
interface Removal {
  readonly act: Act<unknown>
  /** The nouns whose queries are asked anew afterwards. */
  readonly changes: readonly string[]
  readonly done: string
  /** The question before; its `yes` is the label, too. */
  readonly question: Omit<Question, 'grave'>
  /** The page to go to afterwards, by default the noun's list. */
  readonly back?: string
}

/** Copies the thing that a page is about, and goes to the copy. */
interface Duplication {
  readonly act: Act<{ readonly id: string }>
  readonly changes: readonly string[]
  readonly done: string
  readonly label: string
}

/** The button that deletes the thing of a page. */
export function DeleteButton({ question, ...removal }: Removal) {
  const { ask, isPending } = useRemoval({ question, ...removal })
  return (
    <Button variant="light" color="red" leftSection={<IconTrash size={16} />} loading={isPending} onClick={ask}>
      {question.yes}
    </Button>
  )
}

/** The menu of a page: its own items first, then a copy of its thing, and last what deletes it. */
export function NounActions({
  children,
  duplicate,
  last,
  remove,
}: {
  readonly children?: ReactNode
  readonly duplicate?: Duplication
  /** Items between the copy and the deletion. */
  readonly last?: ReactNode
  readonly remove?: Removal | undefined
}) {
  const t = useTexts()
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" size="xs" px="xs" aria-label={t.anywhere.more}>
          <IconDots size={16} />
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {children}
        {duplicate && <DuplicateItem {...duplicate} />}
        {last}
        {remove && <DeleteItem {...remove} />}
      </Menu.Dropdown>
    </Menu>
  )
}

function DuplicateItem({ act, label, ...effects }: Duplication) {
  const [, navigate] = useLocation()
  const duplicate = useAct(act, { ...effects, onDone: ({ id }) => navigate(`/${id}`) })
  return (
    <Menu.Item leftSection={<IconCopy size={14} />} onClick={() => duplicate.mutate()}>
      {label}
    </Menu.Item>
  )
}

function DeleteItem(removal: Removal) {
  const { ask } = useRemoval(removal)
  return (
    <Menu.Item color={DANGER} leftSection={<IconTrash size={14} />} onClick={ask}>
      {removal.question.yes}
    </Menu.Item>
  )
}

function useRemoval({ act, question, back = '/', ...effects }: Removal) {
  const confirm = useConfirm()
  const [, navigate] = useLocation()
  const remove = useAct(act, {
    ...effects,
    onDone() {
      forgetUnsaved()
      navigate(back)
    },
  })
  const ask = async () => {
    if (await confirm({ ...question, grave: true })) remove.mutate()
  }
  return { ask: () => void ask(), isPending: remove.isPending }
}
