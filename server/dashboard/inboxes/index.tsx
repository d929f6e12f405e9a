import { Route, Switch } from 'wouter'
import { Approvals } from './approvals.tsx'
import { InboxList } from './inbox-list.tsx'
import { ThreadList } from './thread-list.tsx'
import { ThreadPage } from './thread-page.tsx'
import classes from './threads-beside.module.css'
import { ThreadsBeside, useWide } from './threads-beside.tsx'

/** Mail that comes in, as conversations. */
export default function Inboxes() {
  return (
    <Switch>
      <Route path="/">
        <InboxList />
      </Route>
      <Route path="/approvals">
        <Approvals />
      </Route>
      <Route path="/:id">{({ id }) => <ThreadList key={id} id={id} />}</Route>
      <Route path="/:id/:threadId">{({ id, threadId }) => <Opened key={id} inboxId={id} threadId={threadId} />}</Route>
    </Switch>
  )
}

/** A conversation; where there is room, beside the list that it was opened from. */
function Opened({ inboxId, threadId }: { readonly inboxId: string; readonly threadId: string }) {
  return (
    <div className={classes.split}>
      {useWide() ? <ThreadsBeside inboxId={inboxId} openId={threadId} /> : null}
      <div className={classes.thread}>
        <ThreadPage key={threadId} inboxId={inboxId} id={threadId} />
      </div>
    </div>
  )
}
