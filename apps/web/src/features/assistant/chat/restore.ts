import { loadTexts } from '../../../lib/i18n.ts'
import { leftOpen, noteOpen } from '../left-open.ts'
import { openChat } from './chat.ts'
import { useChat } from './chat-store.ts'

/** Opens the conversation that was open before the page was loaded anew, and goes on with its reply. */
export async function restoreChat(): Promise<void> {
  const id = leftOpen()
  if (id === null || !isUntouched()) return
  await loadTexts('assistant')
  const opened = await openChat(id, isUntouched).catch(() => false)
  if (!opened && isUntouched()) noteOpen(undefined)
}

/** Whoever has begun something meanwhile keeps it. */
function isUntouched(): boolean {
  const { id, messages } = useChat.getState()
  return id === undefined && messages.length === 0
}
