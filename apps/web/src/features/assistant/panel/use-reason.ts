import { useTranslation } from 'react-i18next'
import { useSession } from '../../../lib/session.ts'
import { useChat } from '../chat/chat-store.ts'

/** Why new chats, the history and clearing it cannot be used just now (specification §5); null: they can. */
export function useReason(): string | null {
  const { t } = useTranslation('assistant')
  const signedIn = useSession(s => s.token !== null)
  const asking = useChat(s => s.asking)
  if (!signedIn) return t('tip.signIn')
  return asking ? t('tip.asking') : null
}
