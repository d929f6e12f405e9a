import { createContext, type ReactNode, Suspense, useCallback, useContext, useRef, useState } from 'react'
import { later } from '../api/later.ts'
import type { Question } from './question.ts'

const ConfirmView = later(() => import('./confirm-view.tsx'))

const Context = createContext<(question: Question) => Promise<boolean>>(async () => false)

/** Asks before something is done: `if (await confirm({ title, yes: t.anywhere.delete })) …`. */
export function useConfirm() {
  return useContext(Context)
}

const Asked = createContext(false)

/** Whether a question is open, which Escape answers then. */
export function useIsAsked(): boolean {
  return useContext(Asked)
}

/** Where questions are shown. */
export function Confirmations({ children }: { readonly children: ReactNode }) {
  const [question, setQuestion] = useState<Question | undefined>()
  const [isOpen, setOpen] = useState(false)
  const answer = useRef<(yes: boolean) => void>(() => {})
  const ask = useCallback((asked: Question) => {
    answer.current(false)
    setQuestion(asked)
    setOpen(true)
    return new Promise<boolean>((resolve) => {
      answer.current = resolve
    })
  }, [])
  const end = (yes: boolean) => {
    answer.current(yes)
    setOpen(false)
  }
  return (
    <Context value={ask}>
      <Asked value={isOpen}>{children}</Asked>
      {question === undefined ? null : (
        <Suspense fallback={null}>
          <ConfirmView question={question} isOpen={isOpen} onEnd={end} />
        </Suspense>
      )}
    </Context>
  )
}
