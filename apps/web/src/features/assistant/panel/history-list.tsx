import { useLiveQuery } from 'dexie-react-hooks'
import { useDeferredValue, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../../../lib/api/api-error.ts'
import { call } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import { useSession } from '../../../lib/session.ts'
import { newChat, openChat } from '../chat/chat.ts'
import { useChat } from '../chat/chat-store.ts'
import { history } from '../chat/history.ts'
import type { ChatRow as Row } from '../chat/history-db.ts'
import { ChatRow } from './chat-row.tsx'
import css from './history.module.css'
import { IconButton } from './icon-button.tsx'
import { ClearIcon, CloseIcon, NewChatIcon, SearchIcon } from './icons.tsx'
import panel from './panel.module.css'
import { startNewChat } from './panel-header.tsx'
import { useReason } from './use-reason.ts'

/** So many conversations are shown at first, and more each time. */
const STEP = 50
const refuse = (reason: string) => void notify.info(reason)
const codeOf = (error: unknown) => (error instanceof ApiError ? { detail: error.code } : {})

/**
 * The conversations of the person in this browser, newest first: as the sidebar of the full screen (with a new chat), or
 * in a popup (with its own close).
 */
export function HistoryList({
  as,
  noHistory,
  onOpened,
  onClose,
}: {
  as: 'sidebar' | 'popup'
  noHistory: string | null
  onOpened: () => void
  onClose: () => void
}) {
  const { t } = useTranslation('assistant')
  const userId = useSession(s => s.token?.id)
  const current = useChat(s => s.id)
  const reason = useReason()
  const [q, setQ] = useState('')
  const [limit, setLimit] = useState(STEP)
  const [clearing, setClearing] = useState(false)
  const wanted = useDeferredValue(q)
  const usable = userId !== undefined && noHistory === null
  const rows = useLiveQuery(async (): Promise<Row[] | 'failed'> => {
    if (!usable) return []
    return (
      (await history()
        ?.list(wanted, limit)
        .catch(() => 'failed' as const)) ?? []
    )
  }, [usable, userId, wanted, limit])

  const open = async (row: Row) => {
    if (reason) return refuse(reason)
    if (row.id === current) return onOpened()
    if (await openChat(row.id)) onOpened()
    else notify.warning(t('history.gone'))
  }
  const remove = async (row: Row) => {
    try {
      await call('assistant.removeChat', { params: { id: row.chatId } })
      await history()?.delete(row.id)
      if (useChat.getState().id === row.id) newChat()
    } catch (error) {
      notify.error(t('history.deleteFailed'), codeOf(error))
    }
  }
  const clear = async () => {
    setClearing(false)
    try {
      await call('assistant.clearChats')
      await history()?.clear()
      newChat()
      notify.success(t('history.deleted'))
    } catch (error) {
      notify.error(t('history.deleteFailed'), codeOf(error))
    }
  }

  return (
    <section className={css.history} data-as={as} aria-label={t('history.title')} data-testid="ai-history">
      <header className={css.head}>
        <h3>{t('history.title')}</h3>
        {as === 'sidebar' && (
          <IconButton
            label={t('header.newChat')}
            reason={reason}
            onRefused={refuse}
            testId="ai-new-chat"
            onPress={() => {
              if (startNewChat(t('newest'))) onOpened()
            }}
          >
            <NewChatIcon />
          </IconButton>
        )}
        <IconButton
          label={t('history.clear')}
          reason={reason ?? noHistory}
          onRefused={refuse}
          testId="ai-history-clear"
          tip={as === 'sidebar' ? 'below-left' : 'below'}
          onPress={() => setClearing(true)}
        >
          <ClearIcon />
        </IconButton>
        {as === 'popup' && (
          <IconButton label={t('history.close')} testId="ai-history-close" tip="below-left" onPress={onClose}>
            <CloseIcon />
          </IconButton>
        )}
      </header>
      {clearing && (
        <div className={css.confirm} role="alertdialog" aria-label={t('history.confirmClear')}>
          <p>{t('history.confirmClear')}</p>
          <div>
            <button type="button" className={panel.small} onClick={() => setClearing(false)} data-testid="ai-clear-no">
              {t('history.cancel')}
            </button>
            <button
              type="button"
              className={panel.danger}
              onClick={() => void clear()}
              data-testid="ai-clear-yes"
              // biome-ignore lint/a11y/noAutofocus: the question has just been asked for
              autoFocus
            >
              {t('history.confirm')}
            </button>
          </div>
        </div>
      )}
      <div className={css.search}>
        <SearchIcon />
        <input
          type="search"
          value={q}
          disabled={!usable}
          placeholder={t('history.search')}
          aria-label={t('history.search')}
          data-testid="ai-history-search"
          onChange={event => setQ(event.target.value)}
        />
      </div>
      <div className={css.rows}>
        {userId === undefined && <p className={css.note}>{t('history.signedOut')}</p>}
        {userId !== undefined && noHistory !== null && <p className={css.note}>{noHistory}</p>}
        {usable && rows === 'failed' && <p className={css.note}>{t('history.unreadable')}</p>}
        {usable && Array.isArray(rows) && rows.length === 0 && (
          <p className={css.note}>
            {wanted.trim() === '' ? (
              <>
                <b>{t('history.empty')}</b>
                {t('history.emptyText')}
              </>
            ) : (
              t('history.notFound', { q: wanted.trim() })
            )}
          </p>
        )}
        {Array.isArray(rows) && rows.length > 0 && (
          <ul>
            {rows.slice(0, limit).map(row => (
              <ChatRow
                key={row.id}
                row={row}
                current={row.id === current}
                reason={reason}
                onOpen={() => void open(row)}
                onDelete={() => void remove(row)}
              />
            ))}
          </ul>
        )}
        {Array.isArray(rows) && rows.length > limit && (
          <button type="button" className={panel.small} onClick={() => setLimit(limit + STEP)}>
            {t('history.more')}
          </button>
        )}
      </div>
    </section>
  )
}
