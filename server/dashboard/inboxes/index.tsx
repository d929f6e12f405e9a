import { Route, Switch } from 'wouter'
import { Approvals } from './approvals.tsx'
import { InboxList } from './inbox-list.tsx'
import { ThreadList } from './thread-list.tsx'
import { ThreadPage } from './thread-page.tsx'

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
      <Route path="/:id/:threadId">
        {({ id, threadId }) => <ThreadPage key={threadId} inboxId={id} id={threadId} />}
      </Route>
    </Switch>
  )
}
