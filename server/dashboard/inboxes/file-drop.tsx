import { type ClipboardEvent, type DragEvent, type ReactNode, useState } from 'react'
import classes from './files.module.css'

/** Takes files that are dropped on what it is around, and pictures that are pasted there. */
export function FileDrop({
  onFiles,
  children,
}: {
  readonly onFiles: (files: readonly File[]) => void
  readonly children: ReactNode
}) {
  const [isOver, setOver] = useState(false)
  const take = (event: DragEvent | ClipboardEvent, { files }: DataTransfer) => {
    if (files.length === 0) return
    event.preventDefault()
    onFiles([...files])
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a button does the same by keyboard
    <div
      className={isOver ? classes.over : undefined}
      onPaste={(event) => take(event, event.clipboardData)}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false)
        take(event, event.dataTransfer)
      }}
    >
      {children}
    </div>
  )
}
