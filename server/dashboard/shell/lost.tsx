import { useIsLost } from '../api/connection.ts'
import { useFirstTexts } from '../texts/texts.tsx'
import classes from './frame.module.css'

/** Says that the server is away, while it is. */
export function Lost() {
  const t = useFirstTexts()
  return useIsLost() ? (
    <div className={classes.lost} role="status">
      {t.shell.connectionLost}
    </div>
  ) : null
}
