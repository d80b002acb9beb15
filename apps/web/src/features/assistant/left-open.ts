import { useSession } from '../../lib/session.ts'
import { session } from '../../lib/storage.ts'

/** Notes which conversation is open in this tab, so that it comes back when the page is loaded anew; undefined: none. */
export function noteOpen(id: number | undefined): void {
  const userId = useSession.getState().token?.id
  if (id === undefined || userId === undefined) session.remove('assistantChat')
  else session.set('assistantChat', { userId, id })
}

/** The conversation that was open in this tab, of the person who is signed in. */
export function leftOpen(): number | null {
  const left = session.get('assistantChat')
  return left && left.userId === useSession.getState().token?.id && Number.isInteger(left.id) ? left.id : null
}

export const isConversationLeft = () => leftOpen() !== null
