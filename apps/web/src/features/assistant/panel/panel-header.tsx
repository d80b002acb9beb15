import type { HTMLAttributes } from 'react'
import { useTranslation } from 'react-i18next'
import { notify } from '../../../lib/notify.ts'
import { useSession } from '../../../lib/session.ts'
import { newChat } from '../chat/chat.ts'
import { useChat } from '../chat/chat-store.ts'
import { closePanel, usePanel } from '../panel-state.ts'
import { useStatus } from '../status.ts'
import { IconButton } from './icon-button.tsx'
import { CloseIcon, DockIcon, ExitFullIcon, FloatIcon, FullIcon, HistoryIcon, NewChatIcon } from './icons.tsx'
import css from './panel.module.css'
import { useReason } from './use-reason.ts'

const refuse = (reason: string) => void notify.info(reason)

/** Begins a new conversation, unless the open one is still empty (specification §5). */
export function startNewChat(newest: string): boolean {
  if (useChat.getState().messages.length === 0) {
    notify.info(newest)
    return false
  }
  newChat()
  return true
}

/** Title, what answers, and the buttons of the window; while it floats, the window is moved by it. */
export function PanelHeader({
  historyOpen,
  noHistory,
  onHistory,
  onNewChat,
  drag,
}: {
  historyOpen: boolean
  /** Why this browser keeps no history; null: it does. */
  noHistory: string | null
  onHistory: () => void
  onNewChat: () => void
  drag: HTMLAttributes<HTMLElement> | null
}) {
  const { t } = useTranslation('assistant')
  const mode = usePanel(s => s.mode)
  const reason = useReason()
  const full = mode === 'full'
  const turn = (to: 'floating' | 'docked') => usePanel.setState({ mode: to, before: to })
  return (
    <header className={css.header} data-moves={drag !== null} data-testid="ai-header" {...drag}>
      <div className={css.title}>
        <h2 id="ai-title">{t('title')}</h2>
        <Engine />
      </div>
      {!full && (
        <>
          <IconButton
            label={t('header.newChat')}
            reason={reason}
            onRefused={refuse}
            testId="ai-new-chat"
            onPress={() => {
              if (startNewChat(t('newest'))) onNewChat()
            }}
          >
            <NewChatIcon />
          </IconButton>
          <IconButton
            label={t('header.history')}
            reason={reason ?? noHistory}
            onRefused={refuse}
            pressed={historyOpen}
            testId="ai-history-button"
            onPress={onHistory}
          >
            <HistoryIcon />
          </IconButton>
        </>
      )}
      {mode === 'floating' && (
        <IconButton label={t('header.dock')} testId="ai-dock" onPress={() => turn('docked')}>
          <DockIcon />
        </IconButton>
      )}
      {mode === 'docked' && (
        <IconButton label={t('header.float')} testId="ai-float" onPress={() => turn('floating')}>
          <FloatIcon />
        </IconButton>
      )}
      {full ? (
        <IconButton
          label={t('header.exitFull')}
          testId="ai-exit-full"
          onPress={() => usePanel.setState(s => ({ mode: s.before }))}
        >
          <ExitFullIcon />
        </IconButton>
      ) : (
        <IconButton label={t('header.full')} testId="ai-full" onPress={() => usePanel.setState({ mode: 'full' })}>
          <FullIcon />
        </IconButton>
      )}
      <IconButton label={t('header.close')} testId="ai-close" tip="below-left" onPress={() => closePanel()}>
        <CloseIcon />
      </IconButton>
    </header>
  )
}

/** The name of what answers: the built-in engine or a model. */
function Engine() {
  const { t } = useTranslation('assistant')
  const signedIn = useSession(s => s.token !== null)
  const status = useStatus(s => s.status)
  if (!signedIn || !status) return null
  const name = status.overQuota || status.model === null ? t('builtin') : status.model
  return (
    <small className={css.engine} title={status.overQuota ? t('overQuota') : name} data-testid="ai-engine">
      {name}
    </small>
  )
}
