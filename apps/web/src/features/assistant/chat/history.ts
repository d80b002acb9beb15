import { onSessionEnd, useSession } from '../../../lib/session.ts'
import { ChatHistory } from './history-db.ts'

let open: { userId: string; history: ChatHistory } | null = null

/** The history of the signed-in person; null while nobody is. */
export function history(): ChatHistory | null {
  const userId = useSession.getState().token?.id
  if (userId === undefined) return null
  if (open?.userId !== userId) {
    open?.history.close()
    open = { userId, history: new ChatHistory(userId) }
  }
  return open.history
}

onSessionEnd(() => {
  open?.history.close()
  open = null
})
